// The sections of an artefact file as typed, bounds-checked spans over its bytes.
//
// `read` proves everything that the accessors of Artefact rely on: section bounds and digests, every offset,
// id and ordinal within its range, offset tables that never fall, sorted look-up orders. Past it no accessor
// checks again. Pure; linear in the file's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "events/error.h"
#include "events/types.h"
#include "storage/artefact/artefact.h"
#include "storage/artefact/format.h"

namespace turnstone {

struct ArtefactView {
  Fingerprint fingerprint;
  std::string_view language;
  std::string_view audit;
  std::string_view text;
  format::Meta meta;
  std::span<const format::Product> products;  // product_count + 1
  std::span<const format::Part> parts;        // + 1
  std::span<const TermId> forward;
  std::span<const format::Term> terms;  // + 1
  std::span<const std::uint32_t> term_table;
  std::span<const Posting> postings;
  std::span<const format::Facet> facets;
  std::span<const format::Value> values;  // + 1
  std::span<const std::uint32_t> value_table;
  std::span<const Ordinal> value_products;
  std::span<const ValueId> product_values;
  std::span<const format::Phrase> phrases;
  std::span<const std::uint32_t> phrase_table;
  std::span<const Sense> senses;
  std::span<const Artefact::NumberRow> numbers;
  std::span<const Artefact::NumberRow> numbers_by_product;
  std::span<const std::int64_t> prices;

  // Errors: corrupt (names the section), unsupported (format version).
  static Result<ArtefactView> read(std::span<const std::byte> file);

  std::string_view string(format::Text t) const { return text.substr(t.offset, t.size); }
};

}  // namespace turnstone
