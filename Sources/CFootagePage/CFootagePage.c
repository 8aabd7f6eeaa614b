// Embedding is C's (ISO/IEC 9899:2024, 6.10.4): SwiftPM would make an array of numbers of each file, which costs the compiler of
// Swift as much as the rest of the server, and would not see that a file has changed.

#include "CFootagePage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char about_js[] = {
#embed "../FootageServer/Page/about.js"
};
static const unsigned char beginning_js[] = {
#embed "../FootageServer/Page/beginning.js"
};
static const unsigned char boxes_js[] = {
#embed "../FootageServer/Page/boxes.js"
};
static const unsigned char buffers_js[] = {
#embed "../FootageServer/Page/buffers.js"
};
static const unsigned char calendar_js[] = {
#embed "../FootageServer/Page/calendar.js"
};
static const unsigned char choice_js[] = {
#embed "../FootageServer/Page/choice.js"
};
static const unsigned char clip_js[] = {
#embed "../FootageServer/Page/clip.js"
};
static const unsigned char dom_js[] = {
#embed "../FootageServer/Page/dom.js"
};
static const unsigned char film_js[] = {
#embed "../FootageServer/Page/film.js"
};
static const unsigned char footage_js[] = {
#embed "../FootageServer/Page/footage.js"
};
static const unsigned char layout_js[] = {
#embed "../FootageServer/Page/layout.js"
};
static const unsigned char list_js[] = {
#embed "../FootageServer/Page/list.js"
};
static const unsigned char page_html[] = {
#embed "../FootageServer/Page/page.html"
};
static const unsigned char page_js[] = {
#embed "../FootageServer/Page/page.js"
};
static const unsigned char pictures_js[] = {
#embed "../FootageServer/Page/pictures.js"
};
static const unsigned char pieces_js[] = {
#embed "../FootageServer/Page/pieces.js"
};
static const unsigned char player_js[] = {
#embed "../FootageServer/Page/player.js"
};
static const unsigned char robot_js[] = {
#embed "../FootageServer/Page/robot.js"
};
static const unsigned char robots_js[] = {
#embed "../FootageServer/Page/robots.js"
};
static const unsigned char silence_js[] = {
#embed "../FootageServer/Page/silence.js"
};
static const unsigned char style_css[] = {
#embed "../FootageServer/Page/style.css"
};
static const unsigned char time_js[] = {
#embed "../FootageServer/Page/time.js"
};
static const unsigned char timeline_js[] = {
#embed "../FootageServer/Page/timeline.js"
};
static const unsigned char words_js[] = {
#embed "../FootageServer/Page/words.js"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}

static const cpage_file files[] = {
    FILE_OF("about.js", about_js),
    FILE_OF("beginning.js", beginning_js),
    FILE_OF("boxes.js", boxes_js),
    FILE_OF("buffers.js", buffers_js),
    FILE_OF("calendar.js", calendar_js),
    FILE_OF("choice.js", choice_js),
    FILE_OF("clip.js", clip_js),
    FILE_OF("dom.js", dom_js),
    FILE_OF("film.js", film_js),
    FILE_OF("footage.js", footage_js),
    FILE_OF("layout.js", layout_js),
    FILE_OF("list.js", list_js),
    FILE_OF("page.html", page_html),
    FILE_OF("page.js", page_js),
    FILE_OF("pictures.js", pictures_js),
    FILE_OF("pieces.js", pieces_js),
    FILE_OF("player.js", player_js),
    FILE_OF("robot.js", robot_js),
    FILE_OF("robots.js", robots_js),
    FILE_OF("silence.js", silence_js),
    FILE_OF("style.css", style_css),
    FILE_OF("time.js", time_js),
    FILE_OF("timeline.js", timeline_js),
    FILE_OF("words.js", words_js),
};

cpage_file cpage_file_at(size_t number) {
  static const cpage_file none = {NULL, NULL, 0};
  return number < sizeof files / sizeof *files ? files[number] : none;
}
