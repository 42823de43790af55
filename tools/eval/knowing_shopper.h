// A shopper who knows her whole product and volunteers nothing: what asking well is for.
//
// She opens with the category alone. Asked about a facet she answers with the one of the options shown that her product falls under
// ("something else" when it has the facet and none of them is it, "I don't know" where her listing is silent, and when the question is
// open); shown ten wrong products without a question, she says so. She ends when hers is shown.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "storage/artefact/artefact.h"
#include "tools/eval/shopper.h"

namespace turnstone {

// A range as it is written in an option: "under $25", "$25 to $50", "16 or more", "144 hz". Half open: a border belongs above.
struct OptionRange {
  std::optional<Number> least, below;
  bool single = false;  // one number: least == the number
  bool holds(Number number) const;
};
std::optional<OptionRange> read_option_range(std::string_view option);

// What she answers about her product.
std::string answer_to(const AgentReply::Question& question, Ordinal product, const Artefact& artefact);
inline constexpr std::string_view says_something_else = "Something else.";
inline constexpr std::string_view says_unknown = "I don't know.";

// `artefact` outlives her.
std::unique_ptr<Shopper> knowing_shopper(std::string category, Ordinal product, const Artefact& artefact, std::unique_ptr<ShopperWording> wording);

}  // namespace turnstone
