import Library

/// Puts together what the different kinds of sources of one programme have.
actor ShelfSources {
  enum Kind: Hashable, Sendable { case folders, lists, collections }

  private let use: @Sendable ([String: MusicFolder]) async -> Void
  private var found: [Kind: [String: MusicFolder]] = [:]

  /// - Parameter use: gets what all sources have, by `MusicShelf.key`; those that are being looked through are left out.
  init(use: @escaping @Sendable ([String: MusicFolder]) async -> Void) { self.use = use }

  func take(_ kind: Kind, _ found: [String: MusicFolder]) async {
    self.found[kind] = found
    await use(self.found.values.reduce(into: [:]) { $0.merge($1) { one, _ in one } })
  }
}
