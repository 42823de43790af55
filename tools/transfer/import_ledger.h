// Lines of an export (export_lines.h) into a ledger.
//
// What was written is done again through the ledger's own interface, write by write with the times of then, so that its rules hold for
// imported turns as for its own; then it is read back and must be the same. A write that the ledger has already is compared and passed
// over: an import that was cut short is gone on with by running it again, and several exports come together in one ledger. What was
// erased in the ledger stays erased. Chains, positions and keys are the ledger's own.
#pragma once

#include <cstdint>
#include <set>

#include "tools/transfer/export_lines.h"

namespace turnstone {

struct ImportSummary {
  ExportCounts read;              // what the file holds
  std::uint64_t written = 0;      // writes that are new in the ledger
  std::uint64_t had = 0;          // that it had already
  std::uint64_t left_erased = 0;  // streams of the file that were erased in the ledger
};

class LedgerImport {
 public:
  explicit LedgerImport(Ledger& ledger) : ledger_(ledger) {}

  // One line after the other. Errors: those of read_export_line; refused (the ledger holds something else at that place); those of writing.
  Status take(const ExportLine& line);
  // Makes everything durable. Errors: corrupt (the file's end is missing, or its counts are not what was read).
  Result<ImportSummary> finish();

 private:
  Status take_write(const ExportedWrite& write);
  // Whether the ledger has it already. Errors: refused.
  Result<bool> has(const ExportedStream& stream) const;
  Result<bool> is_left_out(const StreamId& stream);
  Status apply(const ExportedWrite& write);
  Status apply_turn(const ExportedWrite& write, const std::vector<StreamAppend>& appends);
  Status accept(const SessionId& session, const TurnReceived& received, Timestamp received_at);
  Status compare(const ExportedStream& stream) const;
  Status compare_turn(const ExportedWrite& write) const;

  Ledger& ledger_;
  ImportSummary summary_;
  bool begun_ = false;
  std::optional<ExportCounts> end_;
  std::set<StreamId> erased_;
};

}  // namespace turnstone
