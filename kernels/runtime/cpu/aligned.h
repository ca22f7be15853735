// An array on a cache line, so that no vector straddles two.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace ridge::weightless {

template <class T>
class Aligned {
 public:
  void resize(size_t count) {
    data_.reset(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64)));
    std::fill(data_.get(), data_.get() + count, T{});
    size_ = count;
  }
  size_t size() const { return size_; }
  T* get() const { return data_.get(); }
  T& operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  size_t size_ = 0;
};

}  // namespace ridge::weightless
