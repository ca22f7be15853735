// An optional on the heap: of what few objects have, the others hold a pointer and no room. It is copied as a value.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace ridge {

template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(std::nullopt_t) {}
  Rare(T value) : held_(std::make_unique<T>(std::move(value))) {}
  Rare(std::optional<T> value) {
    if (value) emplace(*std::move(value));
  }
  Rare(const Rare& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) { return *this = Rare(other); }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  explicit operator bool() const { return held_ != nullptr; }
  bool has_value() const { return held_ != nullptr; }
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }
  void reset() { held_.reset(); }
  template <class... Made>
  T& emplace(Made&&... made) {
    held_ = std::make_unique<T>(std::forward<Made>(made)...);
    return *held_;
  }
  bool operator==(const Rare& other) const {
    return held_ && other.held_ ? *held_ == *other.held_ : held_ == other.held_;
  }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace ridge
