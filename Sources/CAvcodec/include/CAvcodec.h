#pragma once

// libavcodec, which may be missing: at build time its headers, at run time the library. Nothing of it is linked.

#include <stddef.h>
#include <stdint.h>

enum cav_state {
  CAV_READY = 0,
  /// This program was built without libavcodec's headers.
  CAV_NOT_BUILT = 1,
  /// The library of the major version that this program was built for is not there, or is older than its headers.
  CAV_NOT_FOUND = 2,
};

enum cav_codec { CAV_AAC = 1, CAV_OPUS = 2, CAV_VORBIS = 3, CAV_FLAC = 4, CAV_SPEEX = 5, CAV_ALAC = 6 };

/// Whether the library can be used; the first call loads it. Any thread may call it.
enum cav_state cav_state(void);

/// Why it cannot be used, in the loader's words; empty where there are none.
const char *cav_problem(void);

/// The major version that this program was built for; 0 without headers.
int cav_major(void);

/// The version that was loaded, as 0xMMmmpp; 0 where there is none.
unsigned cav_version(void);

/// A frame of more than 8 channels; libavcodec's own errors are nearer to 0, or four letters.
enum { CAV_CHANNELS = -0x7ffffeff };

/// One stream's decoder. One thread at a time may use it.
typedef struct cav_decoder cav_decoder;

/// Makes a decoder, or returns NULL and an error in `code`; `setup` is what the codec's headers say, and is copied. Who
/// calls it has judged them: they say what a decoder costs.
cav_decoder *cav_open(enum cav_codec codec, const uint8_t *setup, size_t bytes, int *code);

/// Ends a decoder; nothing for NULL.
void cav_close(cav_decoder *decoder);

/// Forgets the samples that `cav_samples` gives.
void cav_clear(cav_decoder *decoder);

/// Decodes one packet of the codec and appends its samples; those of another format in front of them are forgotten.
/// Returns 0, or a negative error.
int cav_decode(cav_decoder *decoder, const uint8_t *bytes, size_t count);

/// Looks for the end of a frame in bytes of a file of FLAC, and decodes the frame that ends there, as `cav_decode` does.
/// `used` gets how many of the bytes it has taken; without bytes, what is still held is decoded, a frame a call, until
/// `cav_samples` gives none. Returns 0, or a negative error, after which the next call goes on.
int cav_find(cav_decoder *decoder, const uint8_t *bytes, size_t count, size_t *used);

/// Interleaved samples, and how many of each channel; valid until the decoder is called again.
const int16_t *cav_samples(const cav_decoder *decoder, size_t *frames);

/// The rate of the samples in Hz; 0 before there are some.
int cav_rate(const cav_decoder *decoder);

/// The channels of the samples: 1 or 2, whatever the stream has.
int cav_channels(const cav_decoder *decoder);

/// The words of an error.
void cav_text(int code, char *text, size_t bytes);
