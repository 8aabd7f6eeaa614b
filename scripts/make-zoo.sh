#!/usr/bin/env bash
# Makes one small file of every kind that a recorder may write: scripts/make-zoo.sh OUTDIR
#
# Needs ffmpeg and GStreamer, and installs them with apt-get when they are missing.
# A file that is there already is kept, so that a run that was interrupted goes on where it stopped.
set -euo pipefail
. "$(dirname "$0")/lib/packages.sh"

if [[ $# -ne 1 || $1 == -* ]]; then
  echo "usage: $0 OUTDIR" >&2
  exit 64
fi
out=$1
mkdir -p "$out"

need() {
  command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null && command -v gst-launch-1.0 >/dev/null \
    && gst-inspect-1.0 x264enc >/dev/null 2>&1 && gst-inspect-1.0 avenc_aac >/dev/null 2>&1 \
    && gst-inspect-1.0 mp4mux >/dev/null 2>&1 && gst-inspect-1.0 h264parse >/dev/null 2>&1
}
if ! need; then
  need_packages ffmpeg gstreamer1.0-tools gstreamer1.0-libav gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
    gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly
  need || { echo "$0: ffmpeg or GStreamer still lacks a part that is needed" >&2; exit 1; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { ffmpeg -nostdin -hide_banner -loglevel error -y "$@" || { echo "$0: ffmpeg failed: $*" >&2; exit 1; }; }

# make NAME ARGUMENTS…: the file is written beside and renamed, so that it is whole or not there.
make() {
  local name=$1
  shift
  [[ -e $out/$name ]] && return
  run "$@" "$work/$name"
  mv "$work/$name" "$out/$name"
}

# The streams that the containers below are filled with.
video=(-f lavfi -i "testsrc2=size=320x180:rate=30:duration=4")
sound=(-f lavfi -i "sine=frequency=440:sample_rate=48000:duration=4")
x264=(-c:v libx264 -preset veryfast -g 30 -pix_fmt yuv420p -threads 1)
aac=(-c:a aac -b:a 64k)
exact=(-fflags +bitexact -flags:v +bitexact -flags:a +bitexact)
run "${video[@]}" "${sound[@]}" "${x264[@]}" -bf 3 "${aac[@]}" "${exact[@]}" "$work/av.mkv"
run -i "$work/av.mkv" -map 0:v -c copy "$work/v.mkv"
run "${video[@]}" "${x264[@]}" -bf 0 "${exact[@]}" "$work/nob.mkv"
copy=(-c copy "${exact[@]}")

# Progressive.
make moov-last.mp4 -i "$work/av.mkv" "${copy[@]}"
make moov-first.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +faststart
make no-b-frames.mp4 -i "$work/nob.mkv" "${copy[@]}"
make negative-cts.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +negative_cts_offsets
make avc3.mp4 -i "$work/av.mkv" "${copy[@]}" -tag:v avc3
make trimmed.mp4 -ss 1.3 -i "$work/av.mkv" "${copy[@]}"
make delayed-sound.mp4 -i "$work/av.mkv" -itsoffset 0.7 -i "$work/av.mkv" -map 0:v -map 1:a "${copy[@]}"
make vfr.mp4 -i "$work/nob.mkv" -vf "select='not(mod(n,7))+gt(mod(n,11),5)'" -fps_mode vfr "${x264[@]}" "${exact[@]}"
make hevc.mp4 "${video[@]}" -c:v libx265 -preset ultrafast -x265-params log-level=none:pools=1 -tag:v hvc1 "${exact[@]}"
make av1.mp4 -f lavfi -i "testsrc2=size=160x90:rate=10:duration=1" -c:v libaom-av1 -cpu-used 8 -row-mt 0 "${exact[@]}"
make opus.mp4 -i "$work/av.mkv" -c:v copy -c:a libopus "${exact[@]}" -strict experimental
make pcm.mov -i "$work/av.mkv" -c:v copy -c:a pcm_s16le "${exact[@]}"
make timecode.mov -i "$work/av.mkv" "${copy[@]}" -timecode 10:15:30:00
make plain.m4v -i "$work/v.mkv" "${copy[@]}"
printf '1\n00:00:00,500 --> 00:00:01,500\nA door\n\n2\n00:00:02,000 --> 00:00:03,000\nA ramp\n' >"$work/text.srt"
make text.mp4 -i "$work/av.mkv" -i "$work/text.srt" -map 0 -map 1 -c copy -c:s mov_text "${exact[@]}"
make two-cameras.mp4 -i "$work/av.mkv" -i "$work/nob.mkv" -map 0:v -map 1:v -map 0:a "${copy[@]}"
make metadata.mp4 -i "$work/av.mkv" "${copy[@]}" -metadata title=Aisle -metadata comment="left of the door" \
  -movflags +use_metadata_tags

# Fragmented.
make frag-keyframe.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +frag_keyframe+empty_moov
make frag-default-base.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +frag_keyframe+empty_moov+default_base_moof
make frag-delay-moov.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +frag_keyframe+delay_moov
make frag-hybrid.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +frag_keyframe
make frag-cmaf.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +cmaf+frag_keyframe+empty_moov
make frag-cmaf-delay.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +cmaf+frag_keyframe+delay_moov
make frag-dash.mp4 -i "$work/v.mkv" "${copy[@]}" -movflags +dash+frag_keyframe+delay_moov
make frag-sidx.mp4 -i "$work/v.mkv" "${copy[@]}" -movflags +dash+frag_keyframe+delay_moov+global_sidx
make frag-every-frame.mp4 -i "$work/nob.mkv" "${copy[@]}" -movflags +frag_every_frame+empty_moov
make frag-duration.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +empty_moov -frag_duration 300000
make frag-separate-moof.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +frag_keyframe+empty_moov+separate_moof
make frag-omit-tfhd.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +frag_keyframe+empty_moov+omit_tfhd_offset
make frag-negative-cts.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +frag_keyframe+empty_moov+negative_cts_offsets
make frag-skip-trailer.mp4 -i "$work/av.mkv" "${copy[@]}" -movflags +frag_keyframe+empty_moov+skip_trailer
make frag-isml.mp4 -i "$work/av.mkv" -f ismv "${copy[@]}"
make frag-delayed-sound.mp4 -i "$work/av.mkv" -itsoffset 0.7 -i "$work/av.mkv" -map 0:v -map 1:a "${copy[@]}" \
  -movflags +frag_keyframe+empty_moov
make frag-vfr.mp4 -i "$out/vfr.mp4" "${copy[@]}" -movflags +frag_keyframe+empty_moov
make frag-opus.mp4 -i "$out/opus.mp4" "${copy[@]}" -strict experimental -movflags +frag_keyframe+empty_moov
make frag-pcm.mov -i "$out/pcm.mov" "${copy[@]}" -movflags +frag_keyframe+empty_moov
make frag-hevc.mp4 -i "$out/hevc.mp4" "${copy[@]}" -movflags +frag_keyframe+empty_moov
make frag-av1.mp4 -i "$out/av1.mp4" "${copy[@]}" -movflags +frag_keyframe+empty_moov
make frag-two-cameras.mp4 -i "$out/two-cameras.mp4" -map 0 "${copy[@]}" -movflags +frag_keyframe+empty_moov

# GStreamer.
gst() {
  local name=$1 limit
  shift
  [[ -e $out/$name ]] && return
  # splitmuxsink 1.22 stands still for ever in about one run of six, and takes a second in the others.
  for limit in 5 5 10 10 20 20 40 40; do
    rm -f "$work"/gst-*
    if timeout -k 1 "$limit" gst-launch-1.0 -q -e "$@" >"$work/gst.log" 2>&1; then
      if [[ -e $work/${name/./1.} ]]; then mv "$work/${name/./1.}" "$work/$name"; fi
      mv "$work/$name" "$out/$name"
      return
    fi
  done
  echo "$0: gst-launch-1.0 failed for $name:" >&2
  cat "$work/gst.log" >&2
  exit 1
}
# Without limits, since the encoder holds back more of the picture than a queue of sound would wait for.
gst_queue=(queue max-size-buffers=0 max-size-bytes=0 max-size-time=0)
# The commas belong to the caps of GStreamer.
# shellcheck disable=SC2054
gst_video=(videotestsrc num-buffers=120 ! video/x-raw,format=I420,width=320,height=180,framerate=30/1 ! x264enc key-int-max=30
  bframes=2 b-adapt=false speed-preset=veryfast threads=1 ! h264parse ! "${gst_queue[@]}")
# shellcheck disable=SC2054
gst_sound=(audiotestsrc num-buffers=188 samplesperbuffer=1024 ! audio/x-raw,rate=48000,channels=2 ! avenc_aac
  ! aacparse ! "${gst_queue[@]}")
gst gst-progressive.mp4 mp4mux name=m ! filesink location="$work/gst-progressive.mp4" \
  "${gst_video[@]}" ! m. "${gst_sound[@]}" ! m.
gst gst-faststart.mp4 mp4mux faststart=true name=m ! filesink location="$work/gst-faststart.mp4" \
  "${gst_video[@]}" ! m. "${gst_sound[@]}" ! m.
gst gst-fragmented.mp4 mp4mux fragment-duration=500 name=m ! filesink location="$work/gst-fragmented.mp4" \
  "${gst_video[@]}" ! m. "${gst_sound[@]}" ! m.
gst gst-streamable.mp4 mp4mux fragment-duration=500 streamable=true name=m \
  ! filesink location="$work/gst-streamable.mp4" "${gst_video[@]}" ! m. "${gst_sound[@]}" ! m.
gst gst-finalised.mp4 mp4mux fragment-duration=500 fragment-mode=first-moov-then-finalise name=m \
  ! filesink location="$work/gst-finalised.mp4" "${gst_video[@]}" ! m. "${gst_sound[@]}" ! m.
gst gst-qtmux.mov qtmux name=m ! filesink location="$work/gst-qtmux.mov" "${gst_video[@]}" ! m. "${gst_sound[@]}" ! m.
# The second piece of a recording that is split every two seconds, which is not the first's like.
gst gst-split.mp4 splitmuxsink muxer="mp4mux fragment-duration=500" max-size-time=2000000000 \
  location="$work/gst-split%d.mp4" name=m "${gst_video[@]}" ! m.video "${gst_sound[@]}" ! m.audio_0
