/** A WebSocket to the server on which job events and the log arrive. */
export interface Connection {
  isOpen: boolean;
  /** Whether the queue was polled since it opened: a job that appears later has been followed from its start on. */
  isSynced: boolean;
}
