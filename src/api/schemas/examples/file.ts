export const FILE_EXAMPLE = {
  id: '01M800C2QZ8J5V4T6W3X9Y7B1D',
  size: 48_213,
  contentType: 'application/pdf',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  createdAt: '2026-11-24T09:25:00.000Z',
  by: 'uma',
};
