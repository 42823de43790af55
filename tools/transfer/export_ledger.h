// A ledger as lines (export_lines.h), in the order in which it was written.
//
// What can be read is exported: erased sessions and profiles cannot, and are counted. Chains are verified before, since a line says
// nothing of hashes: those cover ciphertext under the ledger's own keys, and an import makes them anew.
#pragma once

#include <functional>
#include <string>

#include "tools/transfer/export_lines.h"

namespace turnstone {

struct ExportSummary {
  ExportCounts counts;
  std::uint64_t erased = 0;  // sessions and profiles of which nothing can be read
};

// Calls put(line) for every line; an error from it ends the export. The same ledger gives the same lines, and one that has grown since
// gives the same ones first, but for what was erased since. When something of which lines were put is erased before the end, start_over() is called and
// all lines are put again without it; an error from it ends the export. Errors: those of reading.
using PutLine = std::function<Status(const std::string& line)>;
using StartOver = std::function<Status()>;
Result<ExportSummary> export_ledger(const Ledger& ledger, const PutLine& put, const StartOver& start_over,
                                    const std::function<void(int permille)>& progress = {});

}  // namespace turnstone
