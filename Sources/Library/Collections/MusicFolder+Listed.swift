import Media

extension MusicFolder {
  /// What a collection has: files of any folders, in its order.
  ///
  /// - Parameters:
  ///   - name: the collection's.
  ///   - missing: how many of its tracks are in no folder now.
  ///   - isWhole: whether all folders were looked through.
  public init(collected files: [MusicFile], as name: String, missing: Int, isWhole: Bool) {
    self.init(name, isWhole: isWhole)
    self.files = MusicFiles(inOrder: files)
    let nowhere = MediaFile.Identity(device: 0, inode: 0, bytes: 0, modified: 0)
    refused = [Refused](
      repeating: Refused(
        path: [], identity: nowhere, reason: "names a track that is in no folder now"),
      count: missing)
  }
}
