#!/usr/bin/env bash
# Makes a small real recording as a robot's recorder leaves it: H.264 with B-frames and AAC, the moov box last.
#
# A dot drives along a ruler of twenty seconds below a running clock and ticks at every second, so that a glance, or an
# ear, tells whether a player went where it was sent.
set -euo pipefail
shopt -s inherit_errexit
umask 022
export LC_ALL=C
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/packages.sh"

readonly seconds=20
readonly frame_rate=25
readonly started_at=2025-06-01T10:00:00Z

usage() {
  cat <<'USAGE'
Usage: make-sample.sh OUT.mp4

Makes OUT.mp4: twenty seconds of 1280x720 H.264 (High) and AAC, with a key frame every two seconds and the moov box last.
Writes to a temporary file beside it first. The same ffmpeg makes the same bytes. If ffmpeg is missing, apt-get installs it.
Exit status: 0 done, 1 failed, 64 wrong usage.
USAGE
}

die() {
  printf 'make-sample: %s\n' "$*" >&2
  exit 1
}

font() {
  local file
  for file in /usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf /usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono-Bold.ttf; do
    if [[ -e $file ]]; then
      printf '%s\n' "$file"
      return
    fi
  done
}

# The still picture: dusk over a floor, and the ruler with a mark for every second and a longer one for every fifth.
background() {
  printf "color=c=black:s=1280x720:r=%d,format=rgb24," "$frame_rate"
  printf "geq=r='18+Y/26':g='24+Y/15':b='44+Y/9',"
  printf "drawbox=x=0:y=520:w=iw:h=200:color=0x10161f:t=fill"
  local second
  for ((second = 0; second <= seconds; second++)); do
    if ((second % 5 == 0)); then
      printf ",drawbox=x=%d:y=572:w=4:h=36:color=0xe8edf2:t=fill" $((138 + second * 50))
    else
      printf ",drawbox=x=%d:y=572:w=2:h=18:color=0x7d8a99:t=fill" $((139 + second * 50))
    fi
  done
  printf ",drawbox=x=138:y=568:w=1004:h=4:color=0xe8edf2:t=fill"
}

# Words over the still picture; without a font the ruler tells the time alone.
labels() {
  local font second
  font=$(font)
  [[ -n $font ]] || return 0
  for ((second = 0; second <= seconds; second += 5)); do
    printf ",drawtext=fontfile=%s:text=%d:fontsize=30:fontcolor=0xe8edf2:x=%d-tw/2:y=624" \
      "$font" "$second" $((140 + second * 50))
  done
  printf ",drawtext=fontfile=%s:text=FOOTAGE:fontsize=34:fontcolor=0xffb454:x=140:y=96" "$font"
}

clock() {
  local font
  font=$(font)
  [[ -n $font ]] || return 0
  printf ",drawtext=fontfile=%s:text='%%{pts\\\\:hms}':fontsize=138:fontcolor=0xf5f7fa:x=58:y=204" "$font"
  printf ",drawtext=fontfile=%s:text='frame %%{n}':fontsize=34:fontcolor=0x9fb0c3:x=1140-tw:y=96" "$font"
}

# The dot with its soft edge, cut out of a square by the distance from its middle.
dot() {
  printf "color=c=0xffb454:s=56x56:r=%d,format=rgba," "$frame_rate"
  printf "geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*clip(27-hypot(X-27.5,Y-27.5),0,1)'"
}

make_sample() { # FILE
  local still="trim=end_frame=1,loop=loop=-1:size=1,setpts=N/$frame_rate/TB"
  local picture
  picture="$(background)$(labels),${still}[floor];$(dot),${still}[dot];"
  picture+="[floor][dot]overlay=x='112+50*t':y='512-40*abs(sin(PI*t))':eval=frame$(clock),format=yuv420p"
  # A tick a second, higher at every fifth, over a fifth on A that is hardly there.
  local tick='0.3*sin(2*PI*if(lt(mod(t,5),1),1320,880)*t)*exp(-35*mod(t,1))'
  local sound="aevalsrc='$tick+0.02*sin(2*PI*220*t)+0.015*sin(2*PI*330*t)':s=48000:c=mono"
  ffmpeg -nostdin -hide_banner -loglevel error -y -filter_complex_threads 1 \
    -f lavfi -i "$sound" -filter_complex "${picture}[picture]" -map '[picture]' -map 0:a -t "$seconds" \
    -c:v libx264 -preset medium -crf 27 -profile:v high -level:v 3.1 -bf 2 -threads:v 1 \
    -g $((2 * frame_rate)) -keyint_min $((2 * frame_rate)) -sc_threshold 0 \
    -c:a aac -b:a 48k -map_metadata -1 -metadata creation_time="$started_at" \
    -fflags +bitexact -flags:v +bitexact -flags:a +bitexact -f mp4 "$1"
}

case ${1-} in
--help | -h)
  usage
  exit 0
  ;;
esac
if (($# != 1)) || [[ $1 == -* || $1 != *.[mM][pP]4 ]]; then
  echo "make-sample: give one file name that ends in .mp4 (see 'make-sample.sh --help')" >&2
  exit 64
fi
out=$1
folder=$(dirname -- "$out")
[[ -d $folder ]] || die "the folder '$folder' does not exist: create it first"
need_ffmpeg || exit 1
# The name says neither recording nor .mp4: a server that watches the folder must not take it for one.
staged=$(mktemp "$folder/.sample.XXXXXX") || die "cannot write to '$folder': run as a user who may"
trap 'rm -f -- "$staged"' EXIT
trap 'exit 1' HUP INT TERM
make_sample "$staged" || die "ffmpeg failed, see above; '$out' was not made"
chmod 0644 "$staged"
mv -f -- "$staged" "$out"
printf 'make-sample: made %s\n' "$out" >&2
