#include "storage/catalogue/sqlite_connection.h"

#include <fmt/format.h>

namespace turnstone {

Error sqlite_error(sqlite3* database, std::string_view doing) {
  const int code = sqlite3_errcode(database);
  ErrorCode ours = ErrorCode::io;
  if (code == SQLITE_FULL) ours = ErrorCode::no_space;
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) ours = ErrorCode::corrupt;
  return {ours, fmt::format("{}: {}", doing, sqlite3_errmsg(database))};
}

Result<bool> SqliteStatement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected(sqlite_error(sqlite3_db_handle(statement_.get()), "SQLite"));
}

std::string SqliteStatement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

Result<SqliteConnection> SqliteConnection::open(const std::string& path, int flags) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  SqliteConnection connection(database);
  if (code != SQLITE_OK) {
    const bool absent = code == SQLITE_CANTOPEN && (flags & SQLITE_OPEN_CREATE) == 0;
    return fail(absent ? ErrorCode::not_found : ErrorCode::io, fmt::format("cannot open {}: {}", path, sqlite3_errstr(code)));
  }
  return connection;
}

Result<SqliteStatement> SqliteConnection::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK) {
    return tl::unexpected(sqlite_error(get(), "SQLite"));
  }
  return SqliteStatement(statement);
}

Status SqliteConnection::execute(const std::string& sql) const {
  if (sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return tl::unexpected(sqlite_error(get(), "SQLite"));
  return {};
}

}  // namespace turnstone
