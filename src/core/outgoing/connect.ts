// Importing node:http by name makes Node load its whole fetch for it, 10 MB that nothing here uses.
const { request } = process.getBuiltinModule("node:http")
const { request: requestSecurely } = process.getBuiltinModule("node:https")

/** What begins a request to an address of this protocol. */
export const requestOver = (protocol: string): typeof request => (protocol === "https:" ? requestSecurely : request)
