// The python3 of this machine: where it is, and what is installed for it, without importing any of
// it (PyTorch takes seconds).
#pragma once

#include <string>
#include <vector>

namespace ridge::measure {

/// One installed package: "1.24.2", and its folder.
struct PythonPackage {
  std::string version, folder;
};

class Python {
 public:
  /// RIDGE_PYTHON, else the first python3 in PATH. It is run once in this process's life, for its
  /// folders of packages (15 ms; 90 where it is a version manager's script).
  static const Python& here();

  const std::string& program() const { return program_; }
  /// False with the reason ("python3 has no numpy") where there is none. `part`: a file that has to
  /// be in its folder. `floor`: an older version ("2.5") counts as none.
  bool find(const std::string& package, const std::string& part, const std::string& floor,
            PythonPackage* found, std::string* reason) const;
  /// The command whose process runs `script` and then serves its plans (docs/writing_a_rung.md).
  std::vector<std::string> serve_command(const std::string& script) const;

 private:
  Python();

  std::string program_, name_, reason_;  ///< reason_: why there is no Python
  std::vector<std::string> folders_;
};

/// Whether version `one` ("2.10.0+cu130") is older than `other` ("2.5"): by numbers, as far as
/// `other` goes. An unknown one ("") is not older.
bool is_older(const std::string& one, const std::string& other);

}  // namespace ridge::measure
