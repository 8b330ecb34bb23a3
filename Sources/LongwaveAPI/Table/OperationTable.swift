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

  /// Returns the operations at a path, for any method.
  func at(_ path: String) -> [Found] {
    let slash = UInt8(ascii: "/")
    let parts = path.utf8.split(separator: slash, maxSplits: Self.partsMax).map {
      String(Substring($0))
    }
    return rows.compactMap { row in
      row.handler(at: parts).map { Found(operation: row, handler: $0) }
    }
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
