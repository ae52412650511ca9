// Style sheets are imported for their effect; vite takes them out into a hashed file.
declare module '*.css';
