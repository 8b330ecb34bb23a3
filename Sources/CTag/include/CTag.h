#pragma once

// Reads the tags of one audio file by TagLib. Exceptions end here; what a file says is bounded by whoever calls.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The tag that something was read from. Of two tags that both say something, the lower one counts.
enum {
  CTAG_CONTAINER = 0,  ///< Vorbis comments, MP4 atoms
  CTAG_ID3V2 = 1,
  CTAG_APE = 2,
  CTAG_ID3V1 = 3,
};

/// Text as UTF-8; where the tag declares it Latin-1, the bytes as they stand: many programs wrote another charset there.
typedef struct {
  const char *bytes;
  size_t count;
  int is_latin1;
} ctag_text;

/// What is told of a file. All texts and names are gone when the call returns.
typedef struct {
  void *context;
  /// A value by the tag's own name: TIT2, TXXX:NAME, COMM:NAME; TITLE; ©nam, ----:com.apple.iTunes:NAME. A field with
  /// several values is told several times.
  void (*field)(void *context, int source, const char *name, ctag_text text);
  /// A picture; its type as in ID3. `offset` is -1 where the bytes do not stand in the file as they are.
  void (*picture)(void *context, int source, int type, int64_t offset, int64_t count);
  /// A chapter, in milliseconds.
  void (*chapter)(void *context, uint32_t start, uint32_t end, ctag_text title);
  /// A line of lyrics at a time in milliseconds; lines of one frame come one after another.
  void (*line)(void *context, uint32_t time, ctag_text text);
} ctag_visitor;

enum {
  CTAG_READ = 0,
  CTAG_UNKNOWN = 1,    ///< no container that has tags
  CTAG_TOO_LARGE = 2,  ///< needs more memory than there is
  CTAG_FAILED = 3,     ///< TagLib threw something
};

/// Reads an open regular file; its position stays. Blocks.
int ctag_read(int descriptor, const ctag_visitor *visitor);

#ifdef __cplusplus
}
#endif
