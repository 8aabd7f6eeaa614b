#!/usr/bin/env bash
# Makes the fuzzers' seeds: the smallest recording of each kind. scripts/make-seeds.sh OUTDIR
#
# Those of the repository lie in Tests/Fuzz/Corpus/recordings; another version of ffmpeg makes others, as good.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

if [ $# -ne 1 ] || [[ $1 == -* ]]; then
  echo "usage: scripts/make-seeds.sh OUTDIR" >&2
  exit 64
fi
need_packages ffmpeg
out=$1
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { ffmpeg -nostdin -hide_banner -loglevel error -y "$@"; }
exact=(-fflags +bitexact -flags:v +bitexact -flags:a +bitexact)
run -f lavfi -i "testsrc2=size=32x32:rate=10:duration=0.6" -f lavfi -i "sine=sample_rate=8000:duration=0.6" \
  -c:v libx264 -preset ultrafast -bf 2 -g 3 -crf 51 -pix_fmt yuv420p -threads 1 -x264-params "b-adapt=0:rc-lookahead=1" \
  -bsf:v "filter_units=remove_types=6" -c:a aac -b:a 8k "${exact[@]}" "$work/av.mkv"

# make NAME OPTION…
make() {
  local name=$1
  shift
  run -i "$work/av.mkv" -c copy "${exact[@]}" "$@" "$out/$name"
}
make moov-last.mp4
make moov-first.mp4 -movflags +faststart
make negative-cts.mp4 -movflags +negative_cts_offsets
make video-only.m4v -map 0:v
make avc3.mp4 -map 0:v -tag:v avc3
make timecode.mov -map 0:v -timecode 10:15:30:00
make tags.mp4 -map 0:v -metadata title=Aisle -movflags +use_metadata_tags
make pcm.mov -c:a pcm_u8 -t 0.2
make fragmented.mp4 -movflags +frag_keyframe+empty_moov
make fragmented-default-base.mp4 -movflags +frag_keyframe+empty_moov+default_base_moof
make fragmented-delayed.mp4 -movflags +frag_keyframe+delay_moov
make fragmented-hybrid.mp4 -movflags +frag_keyframe
make fragmented-cmaf.mp4 -map 0:v -movflags +cmaf+frag_keyframe+empty_moov
make fragmented-sidx.mp4 -map 0:v -movflags +dash+frag_keyframe+delay_moov+global_sidx
make fragmented-every-frame.mp4 -map 0:v -movflags +frag_every_frame+empty_moov
make fragmented-separate.mp4 -movflags +frag_keyframe+empty_moov+separate_moof
make fragmented-omit-tfhd.mp4 -movflags +frag_keyframe+empty_moov+omit_tfhd_offset
make fragmented-negative-cts.mp4 -map 0:v -movflags +frag_keyframe+empty_moov+negative_cts_offsets
make fragmented-isml.mp4 -f ismv
run -f lavfi -i "testsrc2=size=32x32:rate=10:duration=0.3" -c:v libx265 -preset ultrafast -crf 51 \
  -x265-params log-level=none:pools=1:info=0 -tag:v hvc1 "${exact[@]}" "$out/hevc.mp4"
run -f lavfi -i "testsrc2=size=32x32:rate=10:duration=0.2" -c:v libaom-av1 -cpu-used 8 -crf 63 -row-mt 0 "${exact[@]}" \
  "$out/av1.mp4"
run -f lavfi -i "sine=sample_rate=48000:duration=0.1" -c:a libopus -b:a 8k "${exact[@]}" -strict experimental \
  "$out/opus.mp4"
# Parameter sets of other profiles: interlaced with CAVLC, of ten bits with colours, with scaling lists, of HEVC.
coded() {
  local name=$1
  shift
  run -f lavfi -i "testsrc2=size=32x32:rate=10:duration=0.3" "${exact[@]}" "$@" "$out/$name"
}
coded avc-interlaced.mp4 -c:v libx264 -crf 51 -pix_fmt yuv420p -threads 1 -x264-params "interlaced=1:cabac=0:ref=3" \
  -bsf:v "filter_units=remove_types=6"
coded avc-colour.mp4 -c:v libx264 -crf 51 -pix_fmt yuv422p10le -threads 1 -x264-params "open-gop=1:keyint=2:bframes=2" \
  -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range pc -bsf:v "filter_units=remove_types=6"
coded avc-scaling.mp4 -c:v libx264 -crf 51 -pix_fmt yuv444p -threads 1 -x264-params "cqm=jvt" \
  -bsf:v "filter_units=remove_types=6"
coded hevc-colour.mp4 -c:v libx265 -crf 51 -pix_fmt yuv420p10le -tag:v hev1 -x265-params \
  "log-level=none:pools=1:info=0:scaling-list=default:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited"
# What recorders leave when they are killed.
head -c 1500 "$out/moov-last.mp4" >"$out/cut-moov-last.mp4"
head -c 3000 "$out/fragmented.mp4" >"$out/cut-fragmented.mp4"
