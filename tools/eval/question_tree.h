// How many questions finding a product takes for askers that know every column: what the engine's questions are held against.
//
// A tree over the products of one kind. A node that holds at most leaf_products_max of them is a leaf: they fit into one list. Any other
// asks about one facet with at most options_max options (its most frequent values, or ranges that hold about equally many) and "something
// else"; the rule says which facet. `greedy` knows what is not said in a listing, too, so that "I don't know" divides as well (it
// minimises the expected entropy one step ahead; Quinlan 1986); for the others "I don't know" tells nothing, as with people.
// Where no question divides a node, its products are paged through, half of the pages on average.
// Nodes are made when they are first walked through and kept. Not thread safe. Deterministic in the seed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "storage/artefact/artefact.h"

namespace turnstone {

inline constexpr std::size_t leaf_products_max = 10;
inline constexpr std::size_t options_max = 8;

enum class AskingRule { greedy, random, coverage, entropy };
inline constexpr AskingRule asking_rules[] = {AskingRule::greedy, AskingRule::random, AskingRule::coverage, AskingRule::entropy};
std::string_view to_string(AskingRule rule);

class QuestionTree {
 public:
  // `artefact` outlives the tree.
  QuestionTree(const Artefact& artefact, AskingRule rule, std::uint64_t seed);
  ~QuestionTree();
  // Questions and pages after the opening until `product` is listed, in hundredths, at most `limit` of them. `pool`: ascending, holds the
  // product; `pool_name` is what the same pool is known by.
  std::uint32_t steps_to(Ordinal product, std::uint32_t pool_name, const std::vector<Ordinal>& pool, std::uint32_t limit);

 private:
  struct Node;
  void choose_question(Node& node);
  Node& child(Node& node, std::uint32_t branch);

  const Artefact& artefact_;
  const AskingRule rule_;
  const std::uint64_t seed_;
  std::uint64_t nodes_ = 0;
  std::map<std::uint32_t, std::unique_ptr<Node>> roots_;
};

// The products that a shopper who names this category of her product may mean: those of the category value that the longest ending of the
// words names, else of the product's widest category, else all. With the value's id as name (0xffffffff: all).
struct OpeningPool {
  std::uint32_t name = 0xffffffff;
  std::vector<Ordinal> products;
};
OpeningPool opening_pool(std::string_view category, Ordinal product, const Artefact& artefact);

}  // namespace turnstone
