// The policy: everything take_turn reads besides the artefact. One TOML bundle (workers/policy/*.toml,
// compiled in as the default), stored whole in the ledger by its fingerprint.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"
#include "events/types.h"
#include "workers/cue_book.h"
#include "workers/variant.h"

namespace turnstone {

class Policy {
 public:
  static std::shared_ptr<const Policy> standard();
  static Result<std::shared_ptr<const Policy>> parse(std::string_view toml);

  const std::string& source() const { return source_; }
  const Fingerprint& fingerprint() const { return fingerprint_; }  // BLAKE2b-256 of source
  const CueBook& cues() const { return cues_; }
  // "shopper" or "benchmark"; any other name gives "shopper".
  const Variant& variant(std::string_view name) const;

 private:
  std::string source_;
  Fingerprint fingerprint_;
  CueBook cues_;
  Variant shopper_;
  Variant benchmark_;
};

}  // namespace turnstone
