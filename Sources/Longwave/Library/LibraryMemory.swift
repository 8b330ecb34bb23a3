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
      if !store.isOpen {
        let isOpen = await turns.run(in: store.path, within: Self.patience) {
          (try? store.open()) != nil
        }
        guard isOpen == true else { return .silent }
      }
      // Beside what is written, which may take long.
      let known = await turns.run(in: store.path + " read", within: Self.patience) { () -> Known in
        do throws(LibraryError) {
          // What is known of another folder says nothing of this one.
          guard try store.path(of: root.id) == root.path, let memory = try store.memory(of: root.id)
          else { return .nothing }
          let folder = try store.known(root.id, at: root.path)
          return .root(memory, folder.isWhole ? folder : nil)
        } catch {
          return .silent
        }
      }
      return known ?? .silent
    }
    save = { root, memory in
      await turns.run(in: store.path, within: Self.patience) {
        // What is not kept is found by the next look.
        try? store.keep(memory, of: root.id, at: root.path)
      }
    }
  }

  /// Seconds that the database has to answer: the first look waits for it.
  private static let patience = 5.0
}
