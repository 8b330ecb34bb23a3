import Foundation
import GRDB
import Wire

/// `library.db`: the tracks of all roots, their files, and the words that they are found by.
///
/// One thread at a time writes, any may read; all calls block. What is in it comes from scans. So a database that is
/// damaged, of another version or deleted is made anew, and its owner writes all roots into it again.
public final class LibraryStore: Sendable {
  /// The most tracks whose number is told: counting more costs more than showing a page of them.
  public static let totalMax = 1000
  /// Rows of a transaction.
  static let batch = 500

  public var path: String { database.path }
  /// How often its tracks were played.
  public let plays: TrackPlays
  private let database: RemadeDatabase
  /// What ends reads; nil: nothing does.
  private let end: ReadEnd?

  /// Nothing is opened yet.
  ///
  /// - Parameters:
  ///   - plays: how often its tracks were played.
  ///   - mayWrite: whether the folder that it is in is ours.
  public init(
    _ path: String, plays: TrackPlays = TrackPlays(),
    mayWrite: @escaping @Sendable () -> Bool = { true }
  ) {
    (self.plays, end) = (plays, nil)
    database = RemadeDatabase(
      path,
      RemadeDatabase.Kind(
        name: "the library's database", label: "longwave.library", readers: 6,
        version: LibrarySchema.version, application: LibrarySchema.application,
        remaking: "is made again by a scan", isOwn: true,
        prepare: { db in
          db.add(function: Self.lastPlayed(plays))
          try MatchRank.add(to: db)
        }, make: LibrarySchema.make), mayWrite: mayWrite)
  }

  /// When the newest play of a track with a key began, in milliseconds since 1970; 0 of one that was not played.
  private static func lastPlayed(_ plays: TrackPlays) -> DatabaseFunction {
    DatabaseFunction("lastPlayed", argumentCount: 1) { values in
      let bytes = values.first.flatMap { Data.fromDatabaseValue($0) }
      return bytes.flatMap { TrackKey(bytes: $0) }.flatMap { plays[$0] }?.newest ?? 0
    }
  }

  private init(_ database: RemadeDatabase, _ plays: TrackPlays, until end: ReadEnd) {
    (self.database, self.plays, self.end) = (database, plays, end)
  }

  /// Returns the same database, whose reads end when nobody waits for them any more.
  public func reading(until end: ReadEnd) -> LibraryStore {
    LibraryStore(database, plays, until: end)
  }

  /// Number of databases that were made or opened; roots that were written into an earlier one have to be written again.
  public var generation: Int { database.generation }

  /// What became of damaged databases, to be logged once.
  public func popRemarks() -> [String] { database.popRemarks() }

  /// Opens the database, or makes one where there is none that can be used. Does nothing while one is open and its file
  /// is there.
  public func open() throws(LibraryError) { try database.open() }

  /// Whether it can be read.
  public var isOpen: Bool { database.isSound }

  /// Closes it for good.
  public func close() { database.close() }

  func read<Value>(_ work: (Database) throws -> Value) throws(LibraryError) -> Value {
    try database.read(until: end, work)
  }

  /// In one transaction.
  func write<Value>(_ work: (Database) throws -> Value) throws(LibraryError) -> Value {
    try database.write(work)
  }
}
