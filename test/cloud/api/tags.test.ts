import { describe, expect, it } from 'vitest';
import { service } from './service.js';

describe('the list of spaces', () => {
  it('contains only the space that the key opens', async () => {
    const { call, spaceId } = await service();
    const space = {
      id: spaceId,
      name: 'lab',
      type: 'team',
      owner_id: null,
      user_role: 'admin',
      created_at: '2026-01-01T00:00:00.000Z',
    };
    expect((await call('GET', '/v2/spaces?limit=100')).json).toEqual([space]);
    expect((await call('GET', `/v2/spaces/${spaceId}`)).json).toEqual(space);
    expect((await call('GET', `/v2/spaces?offset=${spaceId}`)).json).toEqual([]);
  });

  it('has the number of spaces in x-total', async () => {
    const { call } = await service();
    expect((await call('GET', '/v2/spaces')).headers['x-total']).toBe('1');
  });
});

describe('tags', () => {
  it('are created, read, changed and deleted', async () => {
    const { call } = await service();
    const created = await call('POST', 'tags', { id: null, name: ' cold ', color: '#00FFaa', extra: 1 });
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      id: expect.any(String),
      name: 'cold',
      color: '#00FFaa',
      access_type: 'write',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    const { id } = created.json;
    expect((await call('GET', `tags/${id}`)).json).toEqual(created.json);
    const changed = await call('PUT', `tags/${id}`, { access_type: 'read' });
    expect([changed.status, changed.json]).toEqual([200, { ...created.json, access_type: 'read' }]);
    expect((await call('PUT', `tags/${id}`, {})).json).toEqual(changed.json);
    expect((await call('DELETE', `tags/${id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await call(method, `tags/${id}`)).status).toBe(404);
    expect((await call('PUT', `tags/${id}`, {})).status).toBe(404);
  });

  it('have colours of six digits, even if three are given', async () => {
    const { call } = await service();
    const { json } = await call('POST', 'tags', { name: 'cold', color: '#aBc' });
    expect(json.color).toBe('#aaBBcc');
    expect((await call('PUT', `tags/${json.id}`, { color: '#012' })).json.color).toBe('#001122');
    for (const color of ['#abcd', '#ab', 'abc', '#ggg', '#aabbccdd', '']) {
      expect((await call('PUT', `tags/${json.id}`, { color })).status).toBe(400);
    }
  });

  it('are paged', async () => {
    const { call } = await service();
    const tags = [];
    for (const name of ['c-tag', 'a-tag', 'b-tag']) {
      tags.push((await call('POST', 'tags', { name, color: '#000000' })).json);
    }
    const all = await call('GET', 'tags?limit=100');
    expect([all.json, all.headers['x-total']]).toEqual([tags, '3']);
    expect((await call('GET', `tags?limit=1&offset=${tags[0].id}`)).json).toEqual([tags[1]]);
    expect((await call('GET', `tags?offset=${tags[2].id}`)).json).toEqual([]);
  });

  it('have unique names', async () => {
    const { call } = await service();
    await call('POST', 'tags', { name: 'cold', color: '#000000' });
    const { id } = (await call('POST', 'tags', { name: 'warm', color: '#000000' })).json;
    for (const [method, path] of [
      ['POST', 'tags'],
      ['PUT', `tags/${id}`],
    ] as const) {
      const { status, json } = await call(method, path, { name: 'cold', color: '#ffffff' });
      expect([status, json.message]).toEqual([409, 'a tag "cold" already exists']);
    }
    expect((await call('PUT', `tags/${id}`, { name: 'warm' })).status).toBe(200);
  });

  it('are removed from their devices when they are deleted', async () => {
    const { call, device } = await service();
    const tag = (await call('POST', 'tags', { name: 'cold', color: '#000000' })).json;
    const { id } = await device({ tags: [tag] });
    await call('DELETE', `tags/${tag.id}`);
    expect((await call('GET', `devices/${id}`)).json.tags).toEqual([]);
  });
});
