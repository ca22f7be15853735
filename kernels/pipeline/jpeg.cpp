// ridge: needs=jpeg
#include "kernels/pipeline/jpeg.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
// libjpeg's header wants stdio's.
#include <jpeglib.h>

namespace ridge::pipeline {
namespace {

constexpr int kQuality = 90;

/// libjpeg ends the process on an error unless its handler jumps out.
struct Handler {
  jpeg_error_mgr base;
  std::jmp_buf out;
  char text[JMSG_LENGTH_MAX];
};

void leave(j_common_ptr info) {
  auto* handler = reinterpret_cast<Handler*>(info->err);
  info->err->format_message(info, handler->text);
  std::longjmp(handler->out, 1);
}

void keep_first_warning(j_common_ptr info, int level) {
  if (level >= 0) return;  // a trace
  auto* handler = reinterpret_cast<Handler*>(info->err);
  if (info->err->num_warnings++ == 0) info->err->format_message(info, handler->text);
}

jpeg_error_mgr* set_up(Handler* handler) {
  jpeg_std_error(&handler->base);
  handler->base.error_exit = leave;
  handler->base.emit_message = keep_first_warning;
  handler->text[0] = '\0';
  return &handler->base;
}

}  // namespace

std::vector<uint8_t> encode_jpeg(const uint8_t* rgb, int side) {
  jpeg_compress_struct info;
  Handler handler;
  info.err = set_up(&handler);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  if (setjmp(handler.out) != 0) {
    jpeg_destroy_compress(&info);
    std::free(memory);
    return {};
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = info.image_height = static_cast<JDIMENSION>(side);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, kQuality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<uint8_t*>(rgb) + size_t{info.next_scanline} * size_t(side) * 3;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<uint8_t> bytes(memory, memory + size);
  std::free(memory);
  return bytes;
}

bool decode_jpeg(const uint8_t* bytes, size_t size, int side, uint8_t* rgb, std::string* why,
                 Chroma chroma) {
  jpeg_decompress_struct info;
  Handler handler;
  info.err = set_up(&handler);
  if (setjmp(handler.out) != 0) {
    *why = handler.text;
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, static_cast<unsigned long>(size));
  jpeg_read_header(&info, TRUE);
  const auto wanted = static_cast<JDIMENSION>(side);
  if (info.image_width != wanted || info.image_height != wanted) {
    *why = std::to_string(info.image_width) + " x " + std::to_string(info.image_height) +
           " pixels instead of " + std::to_string(side) + " x " + std::to_string(side);
    jpeg_destroy_decompress(&info);
    return false;
  }
  info.out_color_space = JCS_RGB;
  info.do_fancy_upsampling = chroma == Chroma::smooth ? TRUE : FALSE;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = rgb + size_t{info.output_scanline} * size_t(side) * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  if (info.err->num_warnings > 0) *why = handler.text;
  jpeg_destroy_decompress(&info);
  return info.err->num_warnings == 0;
}

const char* jpeg_version() {
#define RIDGE_TEXT_(x) #x
#define RIDGE_TEXT(x) RIDGE_TEXT_(x)
  return RIDGE_TEXT(LIBJPEG_TURBO_VERSION);
}

}  // namespace ridge::pipeline
