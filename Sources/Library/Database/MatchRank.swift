import GRDB
import GRDBSQLite
import Glibc

/// How well a track matches words: SQL's `matchRank(search)`, which is less for what matches better.
///
/// It is BM25 (Robertson, Zaragoza 2009), where columns have weights and lengths of their own. FTS5 has a `bm25`, which
/// counts all tracks that have a word before it ranks the first: here they are counted up to `countedMax`.
enum MatchRank {
  static let sql = "matchRank(search)"

  /// The most tracks that a word is counted in. One that more have decides little.
  private static let countedMax: Int64 = 1000
  /// What a word counts that as many have: it decides between tracks that are else alike.
  private static let least = 0.1
  /// How soon more places of a word count no more, and how much a column's length counts: as in FTS5's own.
  private static let (saturation, lengthShare) = (1.2, 0.75)
  private static let weights = LibrarySchema.words.map(\.weight)

  /// What is the same for all tracks of a question.
  private final class Question {
    /// How rare each phrase is.
    var rarities: [Double]
    /// The mean of words in each column; at least 1.
    var lengths: [Double]

    init(_ rarities: [Double], _ lengths: [Double]) {
      (self.rarities, self.lengths) = (rarities, lengths)
    }
  }

  /// Makes the function known to a connection. SQLite without FTS5 has no table to rank.
  static func add(to db: Database) throws {
    guard sqlite3_compileoption_used("ENABLE_FTS5") != 0 else { return }
    // It is SQLite's and lives as long as the connection; C takes it without const and changes what is behind it alone.
    let api = UnsafeMutablePointer(mutating: FTS5.api(db))
    // The connection has the function until it is closed, and nothing of ours to free.
    let code = api.pointee.xCreateFunction(api, "matchRank", nil, rank, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  private typealias API = UnsafePointer<Fts5ExtensionApi>

  private static let rank: fts5_extension_function = { api, context, result, _, _ in
    // FTS5 passes all three, which live until this returns.
    guard let api, let context, let result else { return }
    do throws(Failure) {
      sqlite3_result_double(result, try place(api, context))
    } catch {
      sqlite3_result_error_code(result, error.code)
    }
  }

  private struct Failure: Error {
    var code: Int32

    static func check(_ code: Int32) throws(Failure) {
      if code != SQLITE_OK { throw Failure(code: code) }
    }
  }

  /// Returns the place of the track that the question is at.
  private static func place(_ api: API, _ context: OpaquePointer) throws(Failure) -> Double {
    let question = try question(api, context)
    var sum = 0.0
    for (phrase, rarity) in question.rarities.enumerated() {
      // What the iterator points at is FTS5's, and stays until the question goes on to its next track.
      var (iterator, column, offset) = (Fts5PhraseIter(), Int32(0), Int32(0))
      var found = 0.0
      try Failure.check(
        api.pointee.xPhraseFirst(context, Int32(phrase), &iterator, &column, &offset))
      // The column is -1 behind the last place.
      while column >= 0, Int(column) < weights.count {
        var words: Int32 = 0
        try Failure.check(api.pointee.xColumnSize(context, column, &words))
        let length = Double(words) / question.lengths[Int(column)]
        found += weights[Int(column)] / (1 - lengthShare + lengthShare * length)
        api.pointee.xPhraseNext(context, &iterator, &column, &offset)
      }
      sum += rarity * found * (saturation + 1) / (found + saturation)
    }
    return -sum
  }

  private static func question(
    _ api: API, _ context: OpaquePointer
  ) throws(Failure) -> Question {
    if let known = api.pointee.xGetAuxdata(context, 0) {
      // The only thing that is ever put there is a question, below.
      return Unmanaged<Question>.fromOpaque(known).takeUnretainedValue()
    }
    var rows: Int64 = 0
    try Failure.check(api.pointee.xRowCount(context, &rows))
    let phrases = api.pointee.xPhraseCount(context)
    let question = Question([], [])
    for phrase in 0..<phrases {
      // One word alone is as rare for all tracks.
      question.rarities.append(
        phrases == 1 ? 1 : try rarity(of: phrase, among: rows, api, context))
    }
    for column in weights.indices {
      var words: Int64 = 0
      try Failure.check(api.pointee.xColumnTotalSize(context, Int32(column), &words))
      // Most tracks may have no word in a column, which makes one word there no long one.
      question.lengths.append(max(1, Double(words) / max(1, Double(rows))))
    }
    // FTS5 frees it by the function behind it when the question ends, or at once when it fails.
    let kept = Unmanaged.passRetained(question).toOpaque()
    try Failure.check(
      api.pointee.xSetAuxdata(context, kept) { held in
        if let held { Unmanaged<Question>.fromOpaque(held).release() }
      })
    return question
  }

  private static func rarity(
    of phrase: Int32, among rows: Int64, _ api: API, _ context: OpaquePointer
  ) throws(Failure) -> Double {
    var count: Int64 = 0
    // The count outlives the call, which is the only one that has its address.
    try Failure.check(
      api.pointee.xQueryPhrase(context, phrase, &count) { _, _, count in
        guard let count = count?.assumingMemoryBound(to: Int64.self) else { return SQLITE_ERROR }
        count.pointee += 1
        return count.pointee < MatchRank.countedMax ? SQLITE_OK : SQLITE_DONE
      })
    let most = Double(max(1, min(rows, countedMax)))
    return least + max(0, log((most + 1) / (Double(count) + 1)))
  }
}
