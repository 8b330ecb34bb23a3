/// Compares what was found, in the order of its paths, with rows of the database in the same order.
///
/// Rows are read by the page and edits written by the batch, so that memory is the same at any size.
enum PathMerge {
  /// A row of the database.
  struct Row: Hashable, Sendable {
    var path: [UInt8]
    var id: Int64 = 0
    var track: Int64 = 0
    /// What was stored of it (`FileMark`); nil: it is to be written again.
    var mark: Int64?
    var failed: String?
  }

  enum Edit: Hashable, Sendable {
    /// The number of what was found.
    case add(Int)
    case change(Int, Row)
    /// A row of which nothing was found.
    case gone(Row)
  }

  /// - Parameters:
  ///   - rows: returns the rows behind a path, at most `LibraryStore.batch`; nil: from the first.
  ///   - write: is given at most as many edits.
  static func run(
    count: Int, path: (Int) -> [UInt8], mark: (Int) -> Int64,
    rows: (_ behind: [UInt8]?) throws(LibraryError) -> [Row],
    _ write: ([Edit]) throws(LibraryError) -> Void
  ) throws(LibraryError) {
    var edits: [Edit] = []
    var (page, place) = (try rows(nil), 0)
    var index = 0
    while index < count || place < page.count {
      let row = place < page.count ? page[place] : nil
      let found = index < count ? path(index) : nil
      if let found, row.map({ PathOrder.precedes(found, $0.path) }) ?? true {
        edits.append(.add(index))
        index += 1
      } else if let row {
        if let found, found == row.path {
          if row.mark != mark(index) { edits.append(.change(index, row)) }
          index += 1
        } else {
          edits.append(.gone(row))
        }
        place += 1
        if place == page.count, page.count == LibraryStore.batch {
          (page, place) = (try rows(row.path), 0)
        }
      }
      if edits.count >= LibraryStore.batch {
        try write(edits)
        edits = []
      }
    }
    if !edits.isEmpty { try write(edits) }
  }
}
