// All operations of the server.
extension Operation {
  static let all =
    stations + shows + programmes + listeners + sessions + bans + recordings + collections + library
    + plays + webhooks + figures + pages + monitors
    + streams

  static let table = OperationTable(rows: all)
}
