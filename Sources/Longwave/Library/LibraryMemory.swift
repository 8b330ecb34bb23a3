import Library
import Settings
import Threads

extension RootStore {
  /// Keeps roots in the library's database, where the files of their last looks are too.
  ///
  /// - Parameter turns: those in which the database is written.
  init(_ store: LibraryStore, _ turns: FolderTurns) {
    self.init()
    load = { root in
      // A root whose database does not answer is looked through as one that is new.
      let known = await turns.run(in: store.path, within: Self.patience) {
        () -> (RootMemory, MusicFolder)? in
        do throws(LibraryError) {
          try store.open()
          guard try store.isSame(root.id, at: root.path), let memory = try store.memory(of: root.id)
          else { return nil }
          return (memory, try store.known(root.id, at: root.path))
        } catch {
          return nil
        }
      }
      guard let (memory, folder) = known ?? nil else { return nil }
      return (memory, folder.isWhole ? folder : nil)
    }
    save = { id, memory in
      await turns.run(in: store.path, within: Self.patience) {
        // What is not kept is found by the next look.
        try? store.keep(memory, of: id)
      }
    }
  }

  /// Seconds that the database has to answer.
  private static let patience = 30.0
}
