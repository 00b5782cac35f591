// Importing node:http by name makes Node load its whole fetch for it, 10 MB that nothing here uses.
const { request } = process.getBuiltinModule("node:http")
const { request: requestSecurely } = process.getBuiltinModule("node:https")

/** The function that starts a request by this protocol. */
export const requestOver = (protocol: string): typeof request => (protocol === "https:" ? requestSecurely : request)
