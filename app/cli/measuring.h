// What run, compare and the ladder without a display share: from the options to a finished request.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "app/cli/cli.h"
#include "app/cli/driver.h"
#include "app/query/editing.h"
#include "app/query/selection.h"
#include "common/view/report/document.h"

namespace ridge::app {

/// A measurement that has begun; `error` says how it ended when it did not end well. What was
/// measured until then is in driver->run().
struct Measured {
  std::unique_ptr<Driver> driver;
  const Lab* lab = nullptr;
  Selection selection;
  std::vector<std::string> edited;  ///< ids of the learners' rungs, in the order given
  int64_t request = 0;              ///< 0: nothing was asked yet
  std::optional<Error> error;
  bool saved = false;  ///< the output file is complete
};

/// Chooses what is measured, once the catalogue is there.
/// `edited` are the rungs that were built from learners' files for it.
using Choose = std::function<Result<Selection>(const Lab& lab, const Run& run, const Params& set,
                                               const std::vector<std::string>& edited)>;

/// Lab, parameters and output file are checked before a worker is started; rungs and parameters
/// before anything is measured; then catalogue, sources and the request itself. The file
/// is completed whatever happened. `before` is told the request just before it is sent.
Measured measure(const CommonOptions& common, const MeasureOptions& options,
                 const std::string& type, const Choose& choose,
                 const std::function<void(const WorkRequest&)>& before = {});

/// Errors end a command with their code; else `code` stands. Prints nothing that is not an error.
int finish_command(const CommonOptions& common, const MeasureOptions& options,
                   const Measured& measured, int code);

/// Has the worker build the file, for the data type in `given` where there is one. Errors: invalid, with the first
/// message and its place, where it does not build; what finish() says otherwise. Warnings and further errors go
/// to stderr.
Result<EditBuild> build_file(Driver* driver, const EditArgument& edit, const Params& given);

/// The document of --json, with the rungs that were left out.
Json json_of(const Measured& measured);

}  // namespace ridge::app
