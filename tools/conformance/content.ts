/** One red pixel, and eight samples of silence: the smallest files that are what they say. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const WAV = 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==';

export const text = (said: string) => ({ type: 'text', text: said });
export const image = { type: 'image', data: PNG, mimeType: 'image/png' };
export const audio = { type: 'audio', data: WAV, mimeType: 'audio/wav' };
export const resource = (uri: string, mimeType: string, body: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: body },
});

/** The result of a native tool. */
export const answer = (...content: object[]) => ({ content });
export const says = (said: string) => answer(text(said));
