import Media

extension MusicFolder {
  /// What a collection has: files of any folders, in its order.
  ///
  /// - Parameters:
  ///   - name: the collection's.
  ///   - missing: how many of its tracks are in no folder now.
  ///   - closed: how many of them are in folders that the programme must not play.
  ///   - isWhole: whether all folders were looked through.
  public init(
    collected files: [MusicFile], as name: String, missing: Int, closed: Int = 0, isWhole: Bool
  ) {
    self.init(name, isWhole: isWhole)
    self.files = MusicFiles(inOrder: files)
    let nowhere = MediaFile.Identity(device: 0, inode: 0, bytes: 0, modified: 0)
    let closedReason =
      "names a track of a folder that is open to the configuration's own stations alone; "
      + "name it in library: roots: or server: paths:"
    let left = [("names a track that is in no folder now", missing), (closedReason, closed)]
    refused = left.flatMap { reason, count in
      [Refused](repeating: Refused(path: [], identity: nowhere, reason: reason), count: count)
    }
  }
}
