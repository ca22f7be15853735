// Number formats whose values share a scale, and posits: how a rung's weights are rounded beside its recipe. Weights alone;
// activations and sums are fp32's.
//
// OCP Microscaling Formats (MX) Specification 1.0: blocks of 32 with a power of two. NVFP4 (Introducing NVFP4 for Efficient
// and Accurate Low-Precision Inference, NVIDIA, 2025): blocks of 16 with a scale of e4m3, and one fp32 for each tensor.
// Standard for Posit Arithmetic (2022): posit16 has two bits of exponent, and a regime of changing length before them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "common/core/registration.h"

namespace ridge {

enum class BlockElement : uint8_t { e4m3, e2m1, posit16 };
/// none: values as they are. power_of_two: one byte, of exponent alone. e4m3: one byte, over a scale for the tensor.
enum class BlockScale : uint8_t { none, power_of_two, e4m3 };

struct BlockFormat {
  BlockElement element = BlockElement::e4m3;
  BlockScale scale = BlockScale::none;
  int block = 1;  ///< neighbouring inputs of one output that share a scale
};

struct BlockFormatDesc {
  const char* trick;  ///< last part of the rung's id
  const BlockFormat* format;
};

RIDGE_REGISTERED(registered_block_formats, ridge_block_formats, BlockFormatDesc)

namespace quantnet {

struct QuantNet;

/// Null: the recipe of that name has none.
const BlockFormat* find_block_format(std::string_view trick);
/// Weights of one layer, [out][inputs], rounded in place. Returns the bytes that they take, scales included.
double round_blocks(const BlockFormat& format, int64_t inputs, std::span<float> weights);
/// A network in fp32 with its weights so rounded, and with the bytes that they take beside biases of fp32.
std::shared_ptr<const QuantNet> in_blocks(const BlockFormat& format, const QuantNet& plain);

}  // namespace quantnet
}  // namespace ridge

/// Beside RIDGE_RECIPE, whose trick it has.
#define RIDGE_BLOCK_FORMAT(trick_, ...)                                                      \
  static constexpr ::ridge::BlockFormat ridge_block_format = {__VA_ARGS__};                  \
  static constexpr ::ridge::BlockFormatDesc ridge_block_format_desc = {#trick_,              \
                                                                       &ridge_block_format}; \
  RIDGE_REGISTER("ridge_block_formats", ::ridge::BlockFormatDesc, ridge_block_format_desc)
