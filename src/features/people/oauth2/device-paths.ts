/** Where devices without a browser begin, where people type their codes, and what the token endpoint calls that (RFC 8628). */
export const DEVICE_CODE_PATH = "/login/device/code"
export const DEVICE_PATH = "/login/device"
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
