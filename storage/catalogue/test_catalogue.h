// Small catalogues for tests: written to a folder of their own, indexed, thrown away.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "storage/artefact/artefact.h"
#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/catalogue.h"

namespace turnstone {

class TrialFolder {
 public:
  TrialFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "turnstone-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TrialFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// A catalogue that is indexed when made.
class IndexedCatalogue {
 public:
  explicit IndexedCatalogue(const std::vector<std::string>& lines, bool write_sqlite = false) {
    write_file(folder_ / "catalogue.jsonl", joined(lines));
    IndexOptions options;
    options.write_sqlite = write_sqlite;
    auto built = build_index(folder_ / "catalogue.jsonl", folder_ / "index", options);
    EXPECT_TRUE(built) << (built ? "" : built.error().detail);
    if (built) report = *built;
    auto opened = Artefact::open(folder_ / "index");
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().detail);
    if (opened) artefact = *opened;
  }

  std::string directory() const { return folder_ / "index"; }
  std::string artefact_file() const { return folder_ / "index/artefact.tsx"; }

  const Facet& facet(const std::string& name) const {
    static const Facet none{};
    const Facet* found = artefact->facet(name);
    EXPECT_NE(found, nullptr) << "no facet " << name;
    return found == nullptr ? none : *found;
  }
  // Texts of a product's values, by value id.
  std::vector<std::string> values(const std::string& id, const std::string& facet_name) const {
    std::vector<std::string> texts;
    const auto product = artefact->find(id);
    const Facet* found = artefact->facet(facet_name);
    if (!product || found == nullptr) return texts;
    for (const ValueId value : artefact->values_of(*product, found->id)) texts.emplace_back(artefact->value(value).key);
    return texts;
  }
  // "facet=key" of every reading of a phrase, best first.
  std::vector<std::string> senses(const std::string& phrase) const {
    std::vector<std::string> readings;
    for (const Sense& sense : artefact->senses(term_key(phrase, artefact->language()))) {
      readings.push_back(std::string(artefact->facet(sense.facet).name) + "=" + std::string(artefact->value(sense.value).key));
    }
    return readings;
  }

  IndexReport report;
  std::shared_ptr<const Artefact> artefact;

 private:
  TrialFolder folder_;
};

}  // namespace turnstone
