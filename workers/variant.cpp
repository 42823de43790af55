#include "workers/variant.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <optional>

namespace turnstone {
namespace {

template <class Section>
struct Key {
  std::string_view name;
  std::int64_t Section::*member;
  std::int64_t least;
  std::int64_t most;
};

constexpr std::int64_t points_max = 1'000'000;
constexpr std::int64_t count_max = 100'000'000;

using R = Variant::Retrieve;
constexpr std::array retrieve_keys{
    Key<R>{"candidates_max", &R::candidates_max, 1, 4096},
    Key<R>{"and_enough", &R::and_enough, 0, count_max},
    Key<R>{"route_depth", &R::route_depth, 1, 4096},
    Key<R>{"postings_budget", &R::postings_budget, 1, count_max},
    Key<R>{"phrases_max", &R::phrases_max, 0, 64},
    Key<R>{"phrase_checks_max", &R::phrase_checks_max, 0, 100'000},
    Key<R>{"phrase_products_max", &R::phrase_products_max, 0, 4096},
    Key<R>{"rank_offset", &R::rank_offset, 1, 10'000},
    Key<R>{"weight_exact", &R::weight_exact, 0, 10'000},
    Key<R>{"weight_and", &R::weight_and, 0, 10'000},
    Key<R>{"weight_or", &R::weight_or, 0, 10'000},
    Key<R>{"weight_category", &R::weight_category, 0, 10'000},
    Key<R>{"weight_phrase", &R::weight_phrase, 0, 10'000},
    Key<R>{"filled_facet", &R::filled_facet, 0, 1000},
    Key<R>{"broad_type", &R::broad_type, 0, points_max},
    Key<R>{"relax_confidence", &R::relax_confidence, 0, 1000},
    Key<R>{"relax_soft_max", &R::relax_soft_max, 0, 3},
    Key<R>{"pool_max", &R::pool_max, 1, 65'536},
    Key<R>{"show_again", &R::show_again, 0, 10},
};

using K = Variant::Rank;
constexpr std::array rank_keys{
    Key<K>{"word_anywhere", &K::word_anywhere, 0, 10'000},
    Key<K>{"word_together", &K::word_together, 0, 10'000},
    Key<K>{"phrase", &K::phrase, 0, 10'000},
    Key<K>{"whole_part", &K::whole_part, 0, 10'000},
    Key<K>{"prominence", &K::prominence, 0, points_max},
    Key<K>{"prominence_step", &K::prominence_step, 0, points_max},
    Key<K>{"telling", &K::telling, 1, points_max},
    Key<K>{"facet_match", &K::facet_match, 0, 10'000},
    Key<K>{"facet_match_max", &K::facet_match_max, 0, points_max},
    Key<K>{"facet_contradiction", &K::facet_contradiction, 0, points_max},
    Key<K>{"facet_contradiction_mentioned", &K::facet_contradiction_mentioned, 0, points_max},
    Key<K>{"type_in_title", &K::type_in_title, 0, points_max},
    Key<K>{"type_in_category", &K::type_in_category, 0, points_max},
    Key<K>{"type_mismatch", &K::type_mismatch, 0, points_max},
    Key<K>{"telling_type", &K::telling_type, 1, points_max},
    Key<K>{"number_fit", &K::number_fit, 0, points_max},
    Key<K>{"number_miss", &K::number_miss, 0, points_max},
    Key<K>{"number_slope", &K::number_slope, 0, points_max},
    Key<K>{"precision", &K::precision, 0, points_max},
    Key<K>{"rejected_value", &K::rejected_value, 0, points_max},
    Key<K>{"rejected_mention", &K::rejected_mention, 0, points_max},
    Key<K>{"department_mismatch", &K::department_mismatch, 0, points_max},
    Key<K>{"soft", &K::soft, 0, 1000},
    Key<K>{"archived", &K::archived, 0, 1000},
    Key<K>{"preference_tag", &K::preference_tag, 0, points_max},
    Key<K>{"popularity", &K::popularity, 0, points_max},
    Key<K>{"liked", &K::liked, 0, 1000},
};

using G = Variant::Gate;
constexpr std::array gate_keys{
    Key<G>{"temperature", &G::temperature, 100, 100'000},
    Key<G>{"outside", &G::outside, 0, points_max},
    Key<G>{"confidence_temperature", &G::confidence_temperature, 100, 100'000},
    Key<G>{"confidence_outside", &G::confidence_outside, 0, points_max},
    Key<G>{"show_within", &G::show_within, 0, points_max},
    Key<G>{"products_max", &G::products_max, 1, 100},
    Key<G>{"trusted_pool", &G::trusted_pool, 0, 100},
    Key<G>{"rank_value", &G::rank_value, 0, 1000},
    Key<G>{"hit_value", &G::hit_value, 0, 1000},
    Key<G>{"turn_cost", &G::turn_cost, 0, 1000},
    Key<G>{"leaving", &G::leaving, 0, 1000},
    Key<G>{"by_value", &G::by_value, 0, 1},
    Key<G>{"learning", &G::learning, 0, points_max},
};

using A = Variant::Ask;
constexpr std::array ask_keys{
    Key<A>{"questions_max", &A::questions_max, 0, 3},
    Key<A>{"options_max", &A::options_max, 2, 20},
    Key<A>{"options_cover", &A::options_cover, 0, 1000},
    Key<A>{"pool_sample", &A::pool_sample, 1, 65'536},
    Key<A>{"coverage_min", &A::coverage_min, 0, 1000},
    Key<A>{"gain_min", &A::gain_min, 0, points_max},
    Key<A>{"answerable", &A::answerable, 0, 1000},
    Key<A>{"answerable_brand", &A::answerable_brand, 0, 1000},
    Key<A>{"answerable_price", &A::answerable_price, 0, 1000},
    Key<A>{"answerable_detail", &A::answerable_detail, 0, 1000},
    Key<A>{"open_yield", &A::open_yield, 0, points_max},
    Key<A>{"open_again", &A::open_again, 0, 1000},
    Key<A>{"open_known", &A::open_known, 0, points_max},
    Key<A>{"settled", &A::settled, 0, points_max},
};

std::string path_of(std::string_view variant, std::string_view section, std::string_view key) {
  return "variants." + std::string(variant) + "." + std::string(section) + "." + std::string(key);
}

std::optional<std::int64_t> integer_of(const toml::node& node) { return node.value_exact<std::int64_t>(); }

template <class Section, std::size_t N>
Status read_section(const toml::table& table, std::string_view variant, std::string_view section, const std::array<Key<Section>, N>& keys,
                    bool complete, Section& out) {
  std::size_t found = 0;
  for (const auto& [name, node] : table) {
    const auto key = std::find_if(keys.begin(), keys.end(), [&wanted = name](const auto& k) { return k.name == wanted.str(); });
    const std::string path = path_of(variant, section, name.str());
    if (key == keys.end()) return fail(ErrorCode::invalid_argument, "The policy has no number " + path + "; remove it or correct its name.");
    const std::optional<std::int64_t> value = integer_of(node);
    if (!value) return fail(ErrorCode::invalid_argument, path + " must be an integer.");
    if (*value < key->least || *value > key->most) {
      return fail(ErrorCode::invalid_argument, path + " is " + std::to_string(*value) + "; it must lie between " + std::to_string(key->least) +
                                                   " and " + std::to_string(key->most) + ".");
    }
    out.*(key->member) = *value;
    ++found;
  }
  if (complete && found != N) {
    for (const auto& key : keys) {
      if (!table.contains(key.name)) return fail(ErrorCode::invalid_argument, "The policy lacks " + path_of(variant, section, key.name) + ".");
    }
  }
  return {};
}

Status read_variant(const toml::table& table, std::string_view name, bool complete, Variant& out) {
  for (const auto& [section, node] : table) {
    const toml::table* numbers = node.as_table();
    const std::string_view key = section.str();
    if (numbers == nullptr) return fail(ErrorCode::invalid_argument, "variants." + std::string(name) + "." + std::string(key) + " must be a table.");
    Status status;
    if (key == "retrieve") status = read_section(*numbers, name, key, retrieve_keys, complete, out.retrieve);
    else if (key == "rank") status = read_section(*numbers, name, key, rank_keys, complete, out.rank);
    else if (key == "gate") status = read_section(*numbers, name, key, gate_keys, complete, out.gate);
    else if (key == "ask") status = read_section(*numbers, name, key, ask_keys, complete, out.ask);
    else status = fail(ErrorCode::invalid_argument, "The policy has no table variants." + std::string(name) + "." + std::string(key) + ".");
    if (!status) return status;
  }
  if (!complete) return {};
  for (const std::string_view section : {"retrieve", "rank", "gate", "ask"}) {
    if (!table.contains(section)) return fail(ErrorCode::invalid_argument, "The policy lacks variants." + std::string(name) + "." + std::string(section) + ".");
  }
  return {};
}

}  // namespace

Result<std::map<std::string, Variant>> parse_variants(std::string_view source) try {
  const toml::table document = toml::parse(source);
  const toml::table* variants = document["variants"].as_table();
  if (variants == nullptr) return fail(ErrorCode::invalid_argument, "The policy has no [variants].");
  const toml::table* base = (*variants)["base"].as_table();
  if (base == nullptr) return fail(ErrorCode::invalid_argument, "The policy lacks [variants.base].");
  Variant common;
  if (auto status = read_variant(*base, "base", true, common); !status) return tl::unexpected(status.error());
  std::map<std::string, Variant> result;
  for (const auto& [name, node] : *variants) {
    if (name.str() == "base") continue;
    const toml::table* table = node.as_table();
    if (table == nullptr || (name.str() != "shopper" && name.str() != "benchmark")) {
      return fail(ErrorCode::invalid_argument, "variants." + std::string(name.str()) + " is no variant; there are base, shopper and benchmark.");
    }
    Variant variant = common;
    if (auto status = read_variant(*table, name.str(), false, variant); !status) return tl::unexpected(status.error());
    result.emplace(name.str(), variant);
  }
  for (const char* name : {"shopper", "benchmark"}) result.try_emplace(name, common);
  return result;
} catch (const toml::parse_error& error) {
  return fail(ErrorCode::invalid_argument, "The policy is no TOML: " + std::string(error.description()) + " at line " +
                                               std::to_string(error.source().begin.line) + ".");
}

}  // namespace turnstone
