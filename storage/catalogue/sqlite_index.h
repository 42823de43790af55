// The index of record: DIR/catalogue.sqlite with the rows and an FTS5 table over our own tokens.
//
//   meta(key, value)        language (TOML), artefact (fingerprint), rows
//   product(ordinal, id, title, categories, features, description, details, store, price, average_rating, rating_number)
//                           lists and details as JSON; price in 1/10,000
//   listing                 FTS5 over title, categories, features, details, store, description; rowid = ordinal;
//                           contentless, detail=full, tokenize=turnstone. Parts of a field are divided by a token
//                           of their own, so that no phrase runs over from one bullet to the next.
// `turnstone` the tokeniser and `turnstone_rank` (BM25F with the artefact's field weights and no normalisation by
// length) exist only on connections made here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"
#include "storage/artefact/language.h"
#include "storage/catalogue/corpus.h"
#include "storage/files/unfinished.h"

struct sqlite3;

namespace turnstone {

inline constexpr std::string_view sqlite_file_name = "catalogue.sqlite";
inline constexpr std::size_t search_terms_max = 64;  // of one query; the rest is not looked at

// Written beside its place and renamed into it by `publish`.
class SqliteIndexFile {
 public:
  explicit SqliteIndexFile(const std::string& directory);
  ~SqliteIndexFile();
  SqliteIndexFile(const SqliteIndexFile&) = delete;
  SqliteIndexFile& operator=(const SqliteIndexFile&) = delete;

  // May run on a thread of its own. Errors: io, no_space.
  Status write(const Corpus& corpus);
  Status publish(std::string_view artefact_fingerprint);

 private:
  const std::string path_;
  const Unfinished beside_, journal_;
};

}  // namespace turnstone
