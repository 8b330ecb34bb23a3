import Wire

// Clips and samples that are being sent: no listeners, but under the same rules.
extension Answers {
  /// Gives a connection its reservation.
  func giveClipPlace(_ slot: UInt32, _ head: HTTPRequestHead, _ place: ClipPlace) {
    connections[slot].clip = place
    connections[slot].player = connections.players.name(head.fields["User-Agent"])
    clipSlots.insert(slot)
  }

  /// Removes and returns the reservation, if there is one of this kind.
  func popClipPlace(_ slot: UInt32, isTap: Bool) -> ClipPlace? {
    guard let place = connections[slot].clip, place.isTap == isTap else { return nil }
    connections[slot].clip = nil
    clipSlots.remove(slot)
    return place
  }

  /// Makes the sending of a clip, or of samples, and begins the listening time.
  func makeSending(_ slot: UInt32, _ body: any Body, by place: ClipPlace?) -> Sending {
    if let place { place.endsAt = connections.listeningEnd(slot, at: place.mount) }
    return makeSending(body, for: place?.customer, patience: place?.patience)
  }

  /// Once a second: ends clips and samples whose listening time is over.
  func endOverdueClips(now: Int64) {
    endClips(.listeningTime) { _, place in place.endsAt <= now }
  }

  /// Ends clips and samples, whether they are being sent or still found.
  func endClips(_ reason: EndReason, where isOver: (UInt32, ClipPlace) -> Bool) {
    for slot in clipSlots {
      guard let place = connections[slot].clip, isOver(slot, place) else { continue }
      // Without a length its end would say that it is whole.
      if !place.isTap, sending(slot)?.body.hasLength == false {
        connections.reset(slot, reason)
      } else {
        endBody(slot, reason)
      }
    }
  }

  /// Ends clips and samples of stations that are gone, stopped, or others by now.
  func endStoppedClips() {
    endClips(.stationStopped) { _, place in
      guard let mount = connections.mounts.mount(station: place.mount.station) else { return true }
      return mount.isStopped || mount.log !== place.mount.log || mount.delay != place.mount.delay
        || (mount.files == nil) != (place.mount.files == nil)
    }
  }

  /// Answers that a station's sound is not to be had.
  func refuse(
    _ slot: UInt32, _ head: HTTPRequestHead, _ refusal: SampleRefusal, at station: String
  ) {
    switch refusal {
    case .nothing:
      replyUnavailable(slot, to: head, "station \(station) has nothing to play yet")
    case .nothingThere:
      replyError(
        slot, to: head, status: 404, code: "nothing-there",
        message: "station \(station) has nothing of that time")
    case .slowDisk: replyUnavailable(slot, to: head, "the disk is slow; ask again")
    case .full:
      replyUnavailable(
        slot, to: head, "too many clients get samples; ask again")
    case .fullBackwards:
      replyUnavailable(
        slot, to: head, "too much is played backwards; ask again")
    case .undecodable(let reason):
      replyError(
        slot, to: head, status: 404, code: "not-decodable",
        message: "station \(station): \(reason)")
    }
  }
}
