import Library

/// Puts together what the different kinds of sources of one programme have.
actor ShelfSources {
  enum Kind: Hashable, Sendable { case folders, lists, collections }

  private let use: @Sendable ([String: MusicFolder]) async -> Void
  private(set) var found: [Kind: [String: MusicFolder]]

  /// - Parameters:
  ///   - found: what is known of the sources already.
  ///   - use: gets what all sources have, by `MusicShelf.key`; those that are being looked through are left out.
  init(
    _ found: [Kind: [String: MusicFolder]],
    use: @escaping @Sendable ([String: MusicFolder]) async -> Void
  ) { (self.found, self.use) = (found, use) }

  /// Puts all together anew, since other tracks are left out.
  func again() async { await use(all) }

  private var all: [String: MusicFolder] {
    found.values.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
  }

  func take(_ kind: Kind, _ found: [String: MusicFolder]) async {
    self.found[kind] = found
    await use(all)
  }
}
