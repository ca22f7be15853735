// JPEG by libjpeg-turbo, without its exit().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ridge::pipeline {

/// `rgb`: side x side pixels of three bytes. Quality 90, chroma at half resolution, as cameras do.
std::vector<uint8_t> encode_jpeg(const uint8_t* rgb, int side);

/// How chroma at half resolution becomes pixels, which the standard leaves open: a triangle over its
/// neighbours (libjpeg's choice), or each value for its four pixels.
enum class Chroma { smooth, repeated };

/// False, and why, where the bytes are no whole JPEG of that size: what libjpeg merely warns of
/// (a premature end, a bad code) counts as broken.
bool decode_jpeg(const uint8_t* bytes, size_t size, int side, uint8_t* rgb, std::string* why,
                 Chroma chroma = Chroma::smooth);

/// "2.1.5" as built against.
const char* jpeg_version();

}  // namespace ridge::pipeline
