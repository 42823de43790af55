// An SQLite connection and statement that close themselves, with our errors.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone {

class SqliteStatement {
 public:
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement, &sqlite3_finalize) {}

  void bind(int index, std::string_view text) { sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8); }
  void bind(int index, std::int64_t number) { sqlite3_bind_int64(statement_.get(), index, number); }
  void bind_null(int index) { sqlite3_bind_null(statement_.get(), index); }
  // true: a row; false: done.
  Result<bool> step();
  void reset() { sqlite3_reset(statement_.get()); }
  std::string text(int column) const;
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }

 private:
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

class SqliteConnection {
 public:
  // Errors: not_found (read only and absent), io.
  static Result<SqliteConnection> open(const std::string& path, int flags);
  sqlite3* get() const { return database_.get(); }
  Result<SqliteStatement> prepare(std::string_view sql) const;
  Status execute(const std::string& sql) const;

 private:
  explicit SqliteConnection(sqlite3* database) : database_(database, &sqlite3_close) {}
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

// What SQLite said last on this connection. Errors: no_space, corrupt, io.
Error sqlite_error(sqlite3* database, std::string_view doing);

}  // namespace turnstone
