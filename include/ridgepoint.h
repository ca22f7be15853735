/* A library of your own as a side of `ridgepoint compare --baseline ./one.so --candidate ./two.so`. Plain C.
 *
 * A side is one constant that the library exports:
 *
 *   RIDGEPOINT_SIDE(ridgepoint_side) = {.abi = RIDGEPOINT_ABI, .prepare = ..., .run = ..., ...};
 *
 * A library with several sides gives each a name of its own; the command line then says ./one.so:NAME.
 * docs/commands.md, "Your own library", has an example.
 *
 * Each side lives in a process of its own, which calls these functions on one thread, one after the other:
 * prepare once; run, finish and the functions of the output many times; teardown once.
 *
 * Every function but teardown returns NULL where it did its work, else one sentence that says why not. The sentence
 * has to stay readable until the next call. A side that returns one has failed: the comparison is INVALID. */
#ifndef RIDGEPOINT_H
#define RIDGEPOINT_H

#include <stdint.h>

/* Changes whenever this file does in a way that a compiled library can tell. */
#define RIDGEPOINT_ABI 1

/* The elements of an output. */
enum { RIDGEPOINT_BYTES = 0, RIDGEPOINT_F32 = 1, RIDGEPOINT_F64 = 2 };

typedef struct RidgepointOutput {
  uint64_t bytes; /* its size: 1 to 2^30 */
  int32_t
      elements; /* RIDGEPOINT_BYTES: it has to equal the reference byte for byte; _F32, _F64: by `tolerance` */
  double
      tolerance; /* largest |out - reference| over largest |reference|: at most this much is right */
} RidgepointOutput;

typedef struct RidgepointSide {
  uint32_t abi; /* RIDGEPOINT_ABI */

  /* Makes the inputs and whatever else a run needs; *state is given to all other functions. Not timed. */
  const char* (*prepare)(void** state, RidgepointOutput* output);
  /* The work. Timed: many runs in a row, then one `finish`. */
  const char* (*run)(void* state);
  /* NULL: run is complete when it returns. Else waits until all runs are: cudaDeviceSynchronize(). Timed. */
  const char* (*finish)(void* state);

  /* Copies the output of the last run to `bytes`, and from `bytes` over it. Not timed. Before the run that is judged
   * the output is overwritten, so that what the run does not write is found. */
  const char* (*read_output)(void* state, void* bytes);
  const char* (*write_output)(void* state, const void* bytes);

  /* Who judges: the first side with one of these, the baseline before the candidates, judges the output of all sides.
   * Both may be NULL: then nothing is claimed of an output. Not timed. */
  const char* (*reference)(void* state, void* bytes);   /* writes the right output */
  const char* (*check)(void* state, const void* bytes); /* a sentence where these bytes are wrong */

  /* NULL: nothing is to be freed. */
  void (*teardown)(void* state);
} RidgepointSide;

#ifdef __cplusplus
#define RIDGEPOINT_SIDE(name)                                                  \
  extern "C" __attribute__((visibility("default"))) const RidgepointSide name; \
  const RidgepointSide name
#else
#define RIDGEPOINT_SIDE(name) __attribute__((visibility("default"))) const RidgepointSide name
#endif

#endif
