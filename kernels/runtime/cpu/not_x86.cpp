// Names of vector code for x86 that portable code mentions, for the linker of another architecture. Each caller asks
// usable_isa() or isa_available() first, and those know no AVX here: nothing of this file is ever read or called.
//
// It includes none of the headers that declare them. A rung's hash follows a name that a header declares into the file that
// defines it (common/harness/kernel/code_hash.h), and this file is no part of any rung.
#if !defined(__x86_64__)
#include <stdlib.h>

namespace ridge {

/// Larger than any of the types: a wrong guard reads zeros and fails at a null pointer.
struct NotX86 {
  void* nothing[64];
};
extern const NotX86 gemm_panels_avx2, gemm_panels_avx512, rows_avx2, rows_avx512;
extern const NotX86 mixed_ops_avx2, mixed_ops_avx512, mixed_ops_bf16, kLutAvx512;
const NotX86 gemm_panels_avx2 = {}, gemm_panels_avx512 = {}, rows_avx2 = {}, rows_avx512 = {};
const NotX86 mixed_ops_avx2 = {}, mixed_ops_avx512 = {}, mixed_ops_bf16 = {}, kLutAvx512 = {};

struct IntegerTile;
void integer_tile_avx2(const IntegerTile*);
void integer_tile_vnni(const IntegerTile*);
void kept_tile_avx2(const IntegerTile*);

void integer_tile_avx2(const IntegerTile*) {
  abort();
}
void integer_tile_vnni(const IntegerTile*) {
  abort();
}
void kept_tile_avx2(const IntegerTile*) {
  abort();
}

}  // namespace ridge
#endif
