import Logging
import Store
import Timeshift

extension StartWatch {
  /// Warns when the clock is more than a day away from the time at which the relay last ran.
  func warnOfClock(_ logger: Logger) {
    let time = expiry.state
    guard time.isFarOff, let seen = time.seen, let doubt = time.doubt else { return }
    logger.warning(
      "the clock says \(doubt.wall.rfc3339), more than a day away from \(seen.rfc3339), when the relay last ran: nothing is deleted for its age until the clock is set, or a day has passed"
    )
  }
}
