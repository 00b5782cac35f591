import type { DatabaseLogger } from "./database.ts"

type Listener = (payload: string | undefined) => void

/** The listeners in this process, by channel. */
export function createEmitter(logger: DatabaseLogger) {
  const channels = new Map<string, Set<Listener>>()
  return {
    channels: (): readonly string[] => [...channels.keys()],
    add(channel: string, listener: Listener): () => void {
      const own: Listener = (payload) => listener(payload)
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(own))
      return () => {
        listeners.delete(own)
        if (listeners.size === 0 && channels.get(channel) === listeners) channels.delete(channel)
      }
    },
    send(channel: string, payload: string | undefined): void {
      for (const listener of channels.get(channel) ?? []) {
        try {
          listener(payload)
        } catch (error) {
          logger.error({ err: error, channel }, "a listener of the database failed")
        }
      }
    },
  }
}
