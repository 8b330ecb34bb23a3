import Media

extension MusicFolder {
  /// What a collection has: files of any folders, in its order.
  ///
  /// - Parameters:
  ///   - missing: how many of its tracks are in no folder now.
  ///   - isWhole: whether all folders were looked through.
  public init(collected files: [MusicFile], missing: Int, isWhole: Bool) {
    self.init()
    (self.files, self.isWhole) = (files, isWhole)
    let nowhere = MediaFile.Identity(device: 0, inode: 0, bytes: 0, modified: 0)
    refused = [Refused](
      repeating: Refused(
        path: [], identity: nowhere, reason: "names a track that is in no folder now"),
      count: missing)
  }
}
