// Finds the members of a language table (colours, materials, audiences, sizes) in a sequence of terms.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/artefact/language.h"

namespace turnstone {

struct TableMatch {
  std::uint32_t begin = 0;  // terms
  std::uint32_t end = 0;
  const std::string* member = nullptr;       // term key of what stood there
  const std::string* family = nullptr;       // term key of its group
  const std::string* family_name = nullptr;  // as the language data writes it
};

class TableMatcher {
 public:
  TableMatcher(const Language& language, std::string_view table);

  bool empty() const { return members_.empty(); }
  // Longest members first from the left, without overlap.
  std::vector<TableMatch> find(std::span<const std::string_view> terms) const;
  // The match that is exactly this term key.
  const TableMatch* exact(std::string_view key) const;
  // Every member's term key with its match.
  const std::unordered_map<std::string, TableMatch>& members() const { return members_; }

 private:
  std::unordered_map<std::string, TableMatch> members_;
  std::unordered_map<std::string, std::string> names_;  // family key → name
  std::size_t longest_ = 0;                             // terms
};

}  // namespace turnstone
