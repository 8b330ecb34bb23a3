/// A copy of how many threads this process runs, by kind, and how busy its lanes are.
public struct ThreadFigures: Hashable, Sendable {
  /// Threads that do the same work: `loop.0` and `loop.1` are both of the kind `loop`.
  public struct Kind: Hashable, Sendable {
    public var name: String
    public var count: Int

    public init(name: String, count: Int) { (self.name, self.count) = (name, count) }
  }

  /// All `Lanes` of one name, added up.
  public struct Lane: Hashable, Sendable {
    public var name: String
    /// Threads at work.
    public var busy: Int
    /// The most threads there can be.
    public var limit: Int
    /// Tasks that wait for a thread.
    public var waiting: Int

    public init(name: String, busy: Int, limit: Int, waiting: Int) {
      (self.name, self.busy, self.limit, self.waiting) = (name, busy, limit, waiting)
    }
  }

  /// Kinds and lanes are sorted by name.
  public var kinds: [Kind] = []
  public var lanes: [Lane] = []

  public init() {}

  /// The figures of this process at this moment.
  public static func now() -> ThreadFigures { ThreadRegistry.figures() }
}
