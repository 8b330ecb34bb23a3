import Server
import Wire

/// Finds the row of a request.
struct OperationTable: Sendable {
  /// A row, and its handler for the parts of the request's path.
  struct Found: Sendable {
    let operation: Operation
    let handler: Call.Handler
  }

  /// The most parts of a path that are split; no path of the API has as many.
  private static let partsMax = 16

  let rows: [Operation]
  /// Numbers of the rows whose paths have a number of parts.
  private let numbers: [Int: [UInt8]]

  init(rows: [Operation]) {
    precondition(rows.count <= RequestRoute.rowsMax, "rows are counted by numbers of a byte")
    self.rows = rows
    numbers = Dictionary(grouping: rows.indices.map { UInt8($0) }) {
      rows[Int($0)].path.parts.count
    }
  }

  /// Returns the number of a request's row, without its handler: loops count their requests by it.
  func number(method: String, path: String) -> UInt8? {
    let parts = Self.parts(of: path)
    let wanted = method == "HEAD" ? "GET" : method
    return numbers[parts.count]?.first { number in
      let row = rows[Int(number)]
      return row.answering != nil && row.method == wanted && row.path.matches(parts)
    }
  }

  /// Names of the rows for people, by number: method and path.
  var names: [String] { rows.map { "\($0.method) \($0.path.text)" } }

  /// Returns the number of the operation of a name.
  func number(named name: String) -> UInt8? {
    rows.firstIndex { $0.name == name }.map { UInt8($0) }
  }

  /// Returns the operations at a path, for any method.
  func at(_ path: String) -> [Found] {
    let parts = Self.parts(of: path)
    return (numbers[parts.count] ?? []).compactMap { number in
      let row = rows[Int(number)]
      return row.handler(at: parts).map { Found(operation: row, handler: $0) }
    }
  }

  private static func parts(of path: String) -> [Substring.UTF8View] {
    path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: partsMax)
  }

  /// Returns the row of a request. Throws "not found", or an error that names the allowed methods.
  func find(method: String, path: String) throws(APIError) -> Found {
    let found = at(path)
    guard !found.isEmpty else { throw APIError.notFound(path) }
    // HEAD is handled like GET, and the server does not send the body. HEAD must change nothing (RFC 9110, 9.2.1), even
    // where GET does.
    let isHead = method == "HEAD"
    let wanted = isHead ? "GET" : method
    guard let row = found.first(where: { $0.operation.method == wanted }),
      !(isHead && row.operation.terms.hasEffect)
    else {
      throw APIError.wrongMethod(allowed: found.map(\.operation.method))
    }
    return row
  }

  /// Returns the most bytes that the body of a request may have.
  func bodyBytesMax(method: String, path: String) -> Int {
    at(path).first { $0.operation.method == method }?.operation.bodyBytesMax
      ?? ServerConfiguration.shortBodyBytesMax
  }
}
