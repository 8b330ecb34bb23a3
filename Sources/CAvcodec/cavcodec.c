#include "CAvcodec.h"

#include <stdio.h>

enum { CHANNELS_MAX = 8 };

static void refusal_text(int code, char *text, size_t bytes) {
  if (!bytes) return;
  text[0] = 0;
  if (code == CAV_CHANNELS) snprintf(text, bytes, "it has more than %d channels", CHANNELS_MAX);
}

#if !__has_include(<libavcodec/avcodec.h>)

enum cav_state cav_state(void) { return CAV_NOT_BUILT; }
const char *cav_problem(void) { return ""; }
int cav_major(void) { return 0; }
unsigned cav_version(void) { return 0; }
cav_decoder *cav_open(enum cav_codec codec, const uint8_t *setup, size_t bytes, int *code) {
  *code = -1;
  return NULL;
}
void cav_close(cav_decoder *d) {}
void cav_clear(cav_decoder *d) {}
int cav_decode(cav_decoder *d, const uint8_t *bytes, size_t count) { return -1; }
int cav_find(cav_decoder *d, const uint8_t *bytes, size_t count, size_t *used) {
  *used = count;
  return -1;
}
const int16_t *cav_samples(const cav_decoder *d, size_t *frames) {
  *frames = 0;
  return NULL;
}
int cav_rate(const cav_decoder *d) { return 0; }
int cav_channels(const cav_decoder *d) { return 0; }
void cav_text(int code, char *text, size_t bytes) { refusal_text(code, text, bytes); }

#else

#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Before, frames had no layout of their own.
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 24, 100)
#define HAS_LAYOUT 1
#else
#define HAS_LAYOUT 0
#endif

// MARK: The library

#define OF_CODEC(X)                                                                                \
  X(avcodec_version) X(avcodec_find_decoder) X(avcodec_alloc_context3) X(avcodec_free_context)     \
  X(avcodec_open2) X(avcodec_send_packet) X(avcodec_receive_frame) X(av_packet_alloc)              \
  X(av_new_packet) X(av_packet_unref) X(av_packet_free) X(av_parser_init) X(av_parser_parse2)      \
  X(av_parser_close)
#define OF_UTIL(X)                                                                                 \
  X(avutil_version) X(av_frame_alloc) X(av_frame_free) X(av_mallocz) X(av_strerror)                \
  X(av_log_set_level)

#define MEMBER(name) __typeof__(name) *name;
static struct { OF_CODEC(MEMBER) OF_UTIL(MEMBER) } av;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum cav_state state = CAV_NOT_FOUND;
static char problem[256];

static void *open_library(const char *name, int major) {
  char file[64];
  snprintf(file, sizeof file, "lib%s.so.%d", name, major);
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) snprintf(problem, sizeof problem, "%s", dlerror());
  return library;
}

// An older library of the same major version has shorter structs than our headers.
static int is_new_enough(unsigned found, unsigned built) {
  if (found >> 16 == built >> 16 && found >= built) return 1;
  snprintf(problem, sizeof problem, "version %u.%u is there, %u.%u is needed", found >> 16,
    found >> 8 & 255, built >> 16, built >> 8 & 255);
  return 0;
}

// The libraries stay loaded: their functions may be in use.
static void load(void) {
  void *util = open_library("avutil", LIBAVUTIL_VERSION_MAJOR);
  void *codec = util ? open_library("avcodec", LIBAVCODEC_VERSION_MAJOR) : NULL;
  if (!codec) return;
#define FIND_IN(library, name)                                                                     \
  if (!(av.name = (__typeof__(name) *)dlsym(library, #name))) {                                    \
    snprintf(problem, sizeof problem, "%s is missing", #name);                                     \
    return;                                                                                        \
  }
#define FIND_CODEC(name) FIND_IN(codec, name)
#define FIND_UTIL(name) FIND_IN(util, name)
  OF_CODEC(FIND_CODEC)
  OF_UTIL(FIND_UTIL)
  // Patch levels change no structs.
  if (!is_new_enough(av.avcodec_version() | 255, LIBAVCODEC_VERSION_INT)) return;
  if (!is_new_enough(av.avutil_version() | 255, LIBAVUTIL_VERSION_INT)) return;
  // It would write to stderr, which belongs to the program.
  av.av_log_set_level(AV_LOG_QUIET);
  state = CAV_READY;
}

enum cav_state cav_state(void) {
  pthread_once(&once, load);
  return state;
}

const char *cav_problem(void) { return cav_state() == CAV_READY ? "" : problem; }
int cav_major(void) { return LIBAVCODEC_VERSION_MAJOR; }
unsigned cav_version(void) { return cav_state() == CAV_READY ? av.avcodec_version() : 0; }

void cav_text(int code, char *text, size_t bytes) {
  refusal_text(code, text, bytes);
  if (bytes && !text[0] && cav_state() == CAV_READY) av.av_strerror(code, text, bytes);
}

// MARK: A decoder

enum {
  // The longest frame of a codec is one of FLAC, of 65,535 samples.
  FRAME_SAMPLES_MAX = 1 << 16,
  // Samples of a channel between two calls of cav_clear.
  SAMPLES_MAX = 1 << 20,
  PACKET_BYTES_MAX = 1 << 20,
  SETUP_BYTES_MAX = 1 << 20,
  // Bytes that the search for frames is given at once.
  FIND_BYTES_MAX = 1 << 14,
};

struct cav_decoder {
  AVCodecContext *context;
  AVPacket *packet;
  AVFrame *frame;
  // Finds frames in a file, and the context that it writes into; NULL before it is needed.
  AVCodecParserContext *parser;
  AVCodecContext *parsed;
  // Interleaved; room is in samples of all channels.
  int16_t *samples;
  size_t room;
  size_t frames;
  int rate, channels;
  // One channel of a frame.
  float row[FRAME_SAMPLES_MAX];
};

static enum AVCodecID id(enum cav_codec codec) {
  switch (codec) {
    case CAV_AAC: return AV_CODEC_ID_AAC;
    case CAV_OPUS: return AV_CODEC_ID_OPUS;
    case CAV_VORBIS: return AV_CODEC_ID_VORBIS;
    case CAV_FLAC: return AV_CODEC_ID_FLAC;
    case CAV_SPEEX: return AV_CODEC_ID_SPEEX;
    case CAV_ALAC: return AV_CODEC_ID_ALAC;
  }
  return AV_CODEC_ID_NONE;
}

static int begin(cav_decoder *d, enum cav_codec codec, const uint8_t *setup, size_t bytes) {
  const AVCodec *found = av.avcodec_find_decoder(id(codec));
  if (!found) return AVERROR_DECODER_NOT_FOUND;
  if (bytes > SETUP_BYTES_MAX) return AVERROR_INVALIDDATA;
  d->packet = av.av_packet_alloc();
  d->frame = av.av_frame_alloc();
  d->context = av.avcodec_alloc_context3(found);
  if (!d->packet || !d->frame || !d->context) return AVERROR(ENOMEM);
  d->context->thread_count = 1;
  d->context->max_samples = FRAME_SAMPLES_MAX;
  // Each packet keeps its samples, whatever an encoder's delay is: they are found by their packet.
  d->context->flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL;
  if (bytes) {
    d->context->extradata = av.av_mallocz(bytes + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!d->context->extradata) return AVERROR(ENOMEM);
    memcpy(d->context->extradata, setup, bytes);
    d->context->extradata_size = (int)bytes;
  }
  return av.avcodec_open2(d->context, found, NULL);
}

cav_decoder *cav_open(enum cav_codec codec, const uint8_t *setup, size_t bytes, int *code) {
  *code = AVERROR(ENOSYS);
  if (cav_state() != CAV_READY) return NULL;
  *code = AVERROR(ENOMEM);
  cav_decoder *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  *code = begin(d, codec, setup, bytes);
  if (*code >= 0) return d;
  cav_close(d);
  return NULL;
}

void cav_close(cav_decoder *d) {
  if (!d) return;
  if (d->parser) av.av_parser_close(d->parser);
  av.avcodec_free_context(&d->parsed);
  av.avcodec_free_context(&d->context);
  av.av_packet_free(&d->packet);
  av.av_frame_free(&d->frame);
  free(d->samples);
  free(d);
}

void cav_clear(cav_decoder *d) { d->frames = 0; }

const int16_t *cav_samples(const cav_decoder *d, size_t *frames) {
  *frames = d->frames;
  return d->samples;
}

int cav_rate(const cav_decoder *d) { return d->rate; }
int cav_channels(const cav_decoder *d) { return d->channels; }

// MARK: Samples

static int channels_of(const AVFrame *frame) {
#if HAS_LAYOUT
  return frame->ch_layout.nb_channels;
#else
  return frame->channels;
#endif
}

static uint64_t speakers(const AVFrame *frame) {
#if HAS_LAYOUT
  return frame->ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? frame->ch_layout.u.mask : 0;
#else
  return frame->channel_layout;
#endif
}

// How much of a speaker is heard at the left and at the right: surround and centre 3 dB less, no low frequencies.
static void share(uint64_t speaker, float *left, float *right) {
  const float half = 0.70710678f;
  *left = *right = 0;
  switch (speaker) {
    case AV_CH_FRONT_LEFT: *left = 1; break;
    case AV_CH_FRONT_RIGHT: *right = 1; break;
    case AV_CH_FRONT_LEFT_OF_CENTER: case AV_CH_BACK_LEFT: case AV_CH_SIDE_LEFT: *left = half; break;
    case AV_CH_FRONT_RIGHT_OF_CENTER: case AV_CH_BACK_RIGHT: case AV_CH_SIDE_RIGHT: *right = half; break;
    case AV_CH_FRONT_CENTER: *left = *right = half; break;
    case AV_CH_BACK_CENTER: *left = *right = half * half; break;
  }
}

// The weights of each channel at the left and at the right; their sums are 1, so that nothing is clipped.
static void weigh(const AVFrame *frame, int channels, float weights[2][CHANNELS_MAX]) {
  uint64_t mask = speakers(frame);
  float sums[2] = {0, 0};
  for (int c = 0; c < channels; c++) {
    float *left = &weights[0][c], *right = &weights[1][c];
    if (mask) share(mask & -mask, left, right);
    // Nobody says where the channels belong.
    else *left = !(*right = c & 1);
    mask &= mask - 1;
    sums[0] += *left;
    sums[1] += *right;
  }
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < channels; c++)
      if (sums[side] > 0) weights[side][c] /= sums[side];
}

#define ADD(type, scale, zero)                                                                     \
  {                                                                                                \
    const type *from = (const type *)data + first;                                                 \
    for (int i = 0; i < count; i++) row[i] += (float)((from[i * step] - (zero)) * ((scale) * weight)); \
    return 0;                                                                                      \
  }

// Adds one channel of a frame to a row, which has the scale of 16-bit samples.
static int add(float *restrict row, const AVFrame *frame, int channels, int channel, float weight) {
  const int count = frame->nb_samples;
  const int is_planar = frame->format >= AV_SAMPLE_FMT_U8P && frame->format <= AV_SAMPLE_FMT_DBLP;
  const int step = is_planar ? 1 : channels, first = is_planar ? 0 : channel;
  const uint8_t *data = frame->extended_data[is_planar ? channel : 0];
  if (!data) return AVERROR_INVALIDDATA;
  switch (frame->format) {
    case AV_SAMPLE_FMT_U8: case AV_SAMPLE_FMT_U8P: ADD(uint8_t, 256.f, 128)
    case AV_SAMPLE_FMT_S16: case AV_SAMPLE_FMT_S16P: ADD(int16_t, 1.f, 0)
    case AV_SAMPLE_FMT_S32: case AV_SAMPLE_FMT_S32P: ADD(int32_t, 1.f / 65536, 0)
    case AV_SAMPLE_FMT_FLT: case AV_SAMPLE_FMT_FLTP: ADD(float, 32768.f, 0)
    case AV_SAMPLE_FMT_DBL: case AV_SAMPLE_FMT_DBLP: ADD(double, 32768.f, 0)
  }
  return AVERROR_PATCHWELCOME;
}

// What is no number becomes silence.
static int16_t rounded(float value) {
  if (!(value > -32768)) return value <= -32768 ? -32768 : 0;
  if (value >= 32767) return 32767;
  return (int16_t)(value < 0 ? value - 0.5f : value + 0.5f);
}

static int reserve(cav_decoder *d, size_t count) {
  if (count <= d->room) return 0;
  int16_t *grown = realloc(d->samples, count * sizeof *grown);
  if (!grown) return AVERROR(ENOMEM);
  d->samples = grown;
  d->room = count;
  return 0;
}

static int append(cav_decoder *d) {
  const AVFrame *frame = d->frame;
  const int count = frame->nb_samples, channels = channels_of(frame);
  if (count < 1) return 0;
  if (count > FRAME_SAMPLES_MAX || channels < 1) return AVERROR_INVALIDDATA;
  if (channels > CHANNELS_MAX) return CAV_CHANNELS;
  if (frame->sample_rate < 1 || !frame->extended_data) return AVERROR_INVALIDDATA;
  const int sides = channels == 1 ? 1 : 2;
  if (d->rate != frame->sample_rate || d->channels != sides) d->frames = 0;
  d->rate = frame->sample_rate;
  d->channels = sides;
  if (d->frames + count > SAMPLES_MAX) return AVERROR_INVALIDDATA;
  int code = reserve(d, (d->frames + count) * sides);
  if (code < 0) return code;
  float weights[2][CHANNELS_MAX] = {{0}};
  if (channels > 2) weigh(frame, channels, weights);
  else weights[0][0] = weights[1][1] = 1;
  for (int side = 0; side < sides; side++) {
    memset(d->row, 0, count * sizeof *d->row);
    for (int c = 0; c < channels; c++)
      if (weights[side][c] != 0 && (code = add(d->row, frame, channels, c, weights[side][c])) < 0)
        return code;
    int16_t *to = d->samples + d->frames * sides + side;
    for (int i = 0; i < count; i++) to[i * sides] = rounded(d->row[i]);
  }
  d->frames += count;
  return 0;
}

int cav_decode(cav_decoder *d, const uint8_t *bytes, size_t count) {
  if (!d) return AVERROR(EINVAL);
  // A packet without bytes would mean the end of the stream.
  if (count == 0) return 0;
  if (count > PACKET_BYTES_MAX) return AVERROR_INVALIDDATA;
  int code = av.av_new_packet(d->packet, (int)count);
  if (code < 0) return code;
  memcpy(d->packet->data, bytes, count);
  code = av.avcodec_send_packet(d->context, d->packet);
  av.av_packet_unref(d->packet);
  while (code >= 0) {
    code = av.avcodec_receive_frame(d->context, d->frame);
    if (code == AVERROR(EAGAIN)) return 0;
    if (code >= 0) code = append(d);
  }
  return code;
}

int cav_find(cav_decoder *d, const uint8_t *bytes, size_t count, size_t *used) {
  *used = count;
  if (!d) return AVERROR(EINVAL);
  if (!d->parser) {
    d->parser = av.av_parser_init(d->context->codec_id);
    d->parsed = av.avcodec_alloc_context3(d->context->codec);
    if (!d->parser || !d->parsed) return AVERROR(ENOMEM);
  }
  // The search reads beyond its bytes.
  uint8_t padded[FIND_BYTES_MAX + AV_INPUT_BUFFER_PADDING_SIZE];
  if (count > FIND_BYTES_MAX) count = FIND_BYTES_MAX;
  if (count) memcpy(padded, bytes, count);
  memset(padded + count, 0, AV_INPUT_BUFFER_PADDING_SIZE);
  uint8_t *frame = NULL;
  int size = 0;
  int taken = av.av_parser_parse2(d->parser, d->parsed, &frame, &size, padded, (int)count,
    AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
  if (taken < 0) return taken;
  *used = (size_t)taken < count ? (size_t)taken : count;
  return size > 0 && frame ? cav_decode(d, frame, (size_t)size) : 0;
}

#endif
