#pragma once

// What a stream's headers may ask of a decoder. It reads them as libavcodec does, and needs nothing of it.

#include "CAvcodec.h"

#include <stdio.h>
#include <string.h>

enum {
  CHANNELS_MAX = 8,
  OPUS_STREAMS_MAX = 8,
  // Of all codebooks together; those of libvorbis have at most 19,413 words and 85,928 values.
  VORBIS_WORDS_MAX = 1 << 16,
  VORBIS_VALUES_MAX = 1 << 20,
  // Of the codebooks with words longer than 24 bits, whose tables have up to 2,048 places for a word.
  VORBIS_DEEP_WORDS_MAX = 1 << 13,
  VORBIS_SHALLOW_BITS = 24,
};

static void refusal_text(int code, char *text, size_t bytes) {
  if (!bytes) return;
  text[0] = 0;
  switch (code) {
    case CAV_DAMAGED: snprintf(text, bytes, "its headers are damaged"); break;
    case CAV_CHANNELS:
      snprintf(text, bytes, "it has more than %d channels", CHANNELS_MAX);
      break;
    case CAV_STREAMS:
      snprintf(text, bytes, "its headers ask for more than %d streams of Opus", OPUS_STREAMS_MAX);
      break;
    case CAV_CODEBOOKS:
      snprintf(text, bytes, "its headers ask for larger codebooks than any encoder makes");
      break;
  }
}

// Bits of Vorbis, the lowest of a byte first (Vorbis I, section 2).
struct bits {
  const uint8_t *bytes;
  uint64_t next, end;
};

// Behind the end, bits are 0, and `next` says so.
static uint32_t take(struct bits *b, int count) {
  uint64_t value = 0;
  const uint64_t byte = b->next >> 3;
  for (int i = 0; i < 5 && byte + i < b->end >> 3; i++) value |= (uint64_t)b->bytes[byte + i] << 8 * i;
  value >>= b->next & 7;
  b->next += count;
  return (uint32_t)(value & (((uint64_t)1 << count) - 1));
}

static int is_over(const struct bits *b) { return b->next > b->end; }

// Bits that a number needs, 0 for 0.
static int length_of(uint32_t number) {
  int bits = 0;
  for (; number; number >>= 1) bits++;
  return bits;
}

// The greatest number whose power is no more than `words` (Vorbis I, section 3.2.1).
static uint32_t root_of(uint32_t words, uint32_t power) {
  if (words == 0) return 0;
  for (uint32_t root = 1;; root++) {
    uint64_t product = 1;
    for (uint32_t i = 0; i < power && product <= words; i++) product *= root + 1;
    if (product > words) return root;
  }
}

// Reads the lengths of a codebook's words, and returns the greatest; -1 where they are damaged.
static int read_lengths(struct bits *b, uint32_t words) {
  int most = 0;
  if (take(b, 1)) {
    int length = (int)take(b, 5) + 1;
    for (uint32_t word = 0; word < words; length++) {
      if (length > 32 || is_over(b)) return -1;
      const uint32_t number = take(b, length_of(words - word));
      if (number > words - word) return -1;
      if (number) most = length;
      word += number;
    }
    return most;
  }
  const int is_sparse = (int)take(b, 1);
  for (uint32_t word = 0; word < words && !is_over(b); word++) {
    if (is_sparse && !take(b, 1)) continue;
    const int length = (int)take(b, 5) + 1;
    if (length > most) most = length;
  }
  return most;
}

// The codebooks of a setup header (Vorbis I, section 3.2.1).
static int judge_codebooks(const uint8_t *setup, size_t bytes) {
  struct bits b = {setup, 0, (uint64_t)bytes * 8};
  uint64_t all = 0, values = 0, deep = 0;
  // Behind the packet's type and name.
  b.next = 7 * 8;
  for (int left = (int)take(&b, 8) + 1; left > 0; left--) {
    if (take(&b, 24) != 0x564342) return CAV_DAMAGED;
    const uint32_t dimensions = take(&b, 16), words = take(&b, 24);
    if (dimensions == 0) return CAV_DAMAGED;
    if ((all += words) > VORBIS_WORDS_MAX) return CAV_CODEBOOKS;
    const int most = read_lengths(&b, words);
    if (most < 0) return CAV_DAMAGED;
    if (most > VORBIS_SHALLOW_BITS && (deep += words) > VORBIS_DEEP_WORDS_MAX) return CAV_CODEBOOKS;
    const uint32_t lookup = take(&b, 4);
    if (lookup > 2) return CAV_DAMAGED;
    if (lookup) {
      if ((values += (uint64_t)words * dimensions) > VORBIS_VALUES_MAX) return CAV_CODEBOOKS;
      take(&b, 32), take(&b, 32);
      const uint32_t value_bits = take(&b, 4) + 1;
      take(&b, 1);
      b.next += (lookup == 1 ? root_of(words, dimensions) : (uint64_t)words * dimensions) * value_bits;
    }
    if (is_over(&b)) return CAV_DAMAGED;
  }
  return 0;
}

// Three headers, as Xiph laces them.
static int judge_vorbis(const uint8_t *setup, size_t bytes) {
  size_t lengths[2] = {0, 0}, place = 1;
  if (bytes < 1 || setup[0] != 2) return CAV_DAMAGED;
  for (int i = 0; i < 2; i++) {
    uint8_t byte;
    do {
      if (place >= bytes) return CAV_DAMAGED;
      lengths[i] += byte = setup[place++];
    } while (byte == 255);
  }
  // The number of channels is behind the version (Vorbis I, section 4.2.2).
  if (lengths[0] < 12 || bytes - place < lengths[0]) return CAV_DAMAGED;
  if (setup[place + 11] > CHANNELS_MAX) return CAV_CHANNELS;
  place += lengths[0];
  if (bytes - place < lengths[1]) return CAV_DAMAGED;
  place += lengths[1];
  return judge_codebooks(setup + place, bytes - place);
}

// OpusHead (RFC 7845, section 5.1).
static int judge_opus(const uint8_t *head, size_t bytes) {
  if (bytes < 19) return CAV_DAMAGED;
  if (head[9] > CHANNELS_MAX) return CAV_CHANNELS;
  if (head[18] == 0) return 0;
  if (bytes < 21) return CAV_DAMAGED;
  return head[19] > OPUS_STREAMS_MAX ? CAV_STREAMS : 0;
}

int cav_judge(enum cav_codec codec, const uint8_t *setup, size_t bytes) {
  switch (codec) {
    case CAV_VORBIS: return judge_vorbis(setup, bytes);
    case CAV_OPUS: return judge_opus(setup, bytes);
    // Their headers ask for no more than a frame may have.
    case CAV_AAC: case CAV_FLAC: case CAV_SPEEX: return 0;
  }
  return CAV_DAMAGED;
}
