import Server
import Timeshift
import Wire

// Data and windows that are to come to their disk, or back to it.
extension Relay {
  /// Looks, at the cost of a few lookups of names, whether the data folder is still this relay's, writes to it what its database lacks, and makes the
  /// administration's socket where there is none of this relay.
  func lookAtData() async {
    _ = await store.takeDisk()
    tellLosses()
    if store.takeRestored() { events.post(RelayEvent(.storageRestored, time: Moment.now().wall)) }
    // Never in another relay's folder: its own socket is there.
    guard store.hasFolder, await serving.openRefusedSocket() else { return }
    await serving.remakeSocket()
  }

  /// Posts what happened to the database.
  func tellLosses() {
    for loss in store.takeLosses() {
      events.post(
        RelayEvent(
          .storageFailed, time: Moment.now().wall, details: ["reason": .string(loss)]))
    }
  }

  /// Tries to move the database and the windows from memory to the disk, and to make the administration's socket.
  ///
  /// They are in memory only, and it is not there, when the disk had no room or could not be used.
  ///
  /// - Returns: whether nothing is left to be tried again.
  func takeDisk() async -> Bool {
    await lookAtData()
    let isWhole = await kit.reopen(turnstile) && store.whyInMemory == nil
    return isWhole && serving.obstacle == nil
  }
}
