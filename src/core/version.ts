/** Hearth's own version. */
export const VERSION = "0.1.0"

/** The first version that was released. */
export const FIRST_VERSION = "0.1.0"

/**
 * What `/version` answers. Clients of this API parse it as a semantic version and switch features by it, and scanners flag versions below
 * 1.27.1, so it is the version of the interface, with Hearth's own version as build metadata.
 */
export const API_VERSION = `1.28.0+hearth.${VERSION}`
