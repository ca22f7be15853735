// A temporary folder for one purpose, gone with its object.
#pragma once

#include <string>

namespace ridge::worker {

class Scratch {
 public:
  /// Takes away folders of workers that were killed before they could.
  Scratch();
  ~Scratch();
  /// Takes away this process's folders, where it ends without destroying them.
  static void remove_own();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }  ///< empty: none could be made

 private:
  std::string path_;
};

}  // namespace ridge::worker
